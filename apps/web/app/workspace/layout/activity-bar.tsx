import { IconButton } from '../../ui/icon-button.tsx';
import { useStore } from '../value-store.ts';
import styles from '../workspace-screen.module.css';
import type { LayoutController } from './layout-controller.ts';
import { sidebarPanels } from './panels.tsx';

/** Activity bar: buttons of the sidebar panels, of which at most one is open. */
export function ActivityBar({ layout }: { layout: LayoutController }) {
  return (
    <nav aria-label="Panels" className={styles.rail}>
      <SidebarButtons layout={layout} />
    </nav>
  );
}

/** Buttons that open a sidebar panel, or close the open one. */
export function SidebarButtons({ layout }: { layout: LayoutController }) {
  const { panel } = useStore(layout.current);
  return sidebarPanels.map(({ name, label, icon }) => (
    <IconButton
      key={name}
      label={label}
      pressed={panel === name}
      onClick={() => layout.toggleSidebar(name)}
    >
      {icon}
    </IconButton>
  ));
}
