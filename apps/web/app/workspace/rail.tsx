import Files from 'lucide-react/icons/files';
import { IconButton } from '../ui/icon-button.tsx';
import styles from './workspace-screen.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The panels at the left, one open at a time or none. */
export function Rail({ workspace }: { workspace: Workspace }) {
  const arrangement = useSource(workspace.arrangement);
  const isOpen = arrangement.panel === 'files';
  return (
    <nav aria-label="Panels" className={styles.rail}>
      <IconButton
        label="Files"
        pressed={isOpen}
        onClick={() =>
          workspace.arrangement.set({ ...arrangement, panel: isOpen ? null : 'files' })
        }
      >
        <Files aria-hidden />
      </IconButton>
    </nav>
  );
}
