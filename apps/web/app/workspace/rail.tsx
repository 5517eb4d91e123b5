import Files from 'lucide-react/icons/files';
import Search from 'lucide-react/icons/search';
import Package from 'lucide-react/icons/package';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import type { PanelName } from './arrangement.ts';
import styles from './workspace-screen.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const panels: readonly { name: PanelName; label: string; icon: ReactNode }[] = [
  { name: 'files', label: 'Files', icon: <Files aria-hidden /> },
  { name: 'search', label: 'Search', icon: <Search aria-hidden /> },
  { name: 'packages', label: 'Packages', icon: <Package aria-hidden /> },
];

/** Activity bar: buttons of the sidebar panels, of which at most one is open. */
export function Rail({ workspace }: { workspace: Workspace }) {
  return (
    <nav aria-label="Panels" className={styles.rail}>
      <PanelButtons workspace={workspace} />
    </nav>
  );
}

/** Buttons that open a sidebar panel, or close the open one. */
export function PanelButtons({ workspace }: { workspace: Workspace }) {
  const arrangement = useSource(workspace.arrangement);
  return panels.map(({ name, label, icon }) => (
    <IconButton
      key={name}
      label={label}
      pressed={arrangement.panel === name}
      onClick={() =>
        workspace.arrangement.set({
          ...arrangement,
          panel: arrangement.panel === name ? null : name,
        })
      }
    >
      {icon}
    </IconButton>
  ));
}
