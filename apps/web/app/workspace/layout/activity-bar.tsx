import { IconButton } from '../../ui/icon-button.tsx';
import { useStore } from '../value-store.ts';
import styles from '../workspace-screen.module.css';
import type { Workspace } from '../workspace.ts';
import { sidebarPanels } from './panels.tsx';

/** Activity bar: buttons of the sidebar panels, of which at most one is open. */
export function ActivityBar({ workspace }: { workspace: Workspace }) {
  return (
    <nav aria-label="Panels" className={styles.rail}>
      <SidebarButtons workspace={workspace} />
    </nav>
  );
}

/** Buttons that open a sidebar panel, or close the open one. */
export function SidebarButtons({ workspace }: { workspace: Workspace }) {
  const { panel } = useStore(workspace.layout);
  return sidebarPanels.map(({ name, label, icon }) => (
    <IconButton
      key={name}
      label={label}
      pressed={panel === name}
      onClick={() => workspace.showSidebar(panel === name ? null : name)}
    >
      {icon}
    </IconButton>
  ));
}
