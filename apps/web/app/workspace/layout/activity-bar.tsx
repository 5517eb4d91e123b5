import Files from 'lucide-react/icons/files';
import Search from 'lucide-react/icons/search';
import Package from 'lucide-react/icons/package';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import type { SidebarPanelName } from './workspace-layout.ts';
import styles from '../workspace-screen.module.css';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

const panels: readonly { name: SidebarPanelName; label: string; icon: ReactNode }[] = [
  { name: 'files', label: 'Files', icon: <Files aria-hidden /> },
  { name: 'search', label: 'Search', icon: <Search aria-hidden /> },
  { name: 'packages', label: 'Packages', icon: <Package aria-hidden /> },
];

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
  const workspaceLayout = useStore(workspace.layout);
  return panels.map(({ name, label, icon }) => (
    <IconButton
      key={name}
      label={label}
      pressed={workspaceLayout.panel === name}
      onClick={() =>
        workspace.layout.set({
          ...workspaceLayout,
          panel: workspaceLayout.panel === name ? null : name,
        })
      }
    >
      {icon}
    </IconButton>
  ));
}
