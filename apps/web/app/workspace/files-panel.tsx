import { findErrorCode } from '@vitrine/project';
import FilePlus from 'lucide-react/icons/file-plus';
import X from 'lucide-react/icons/x';
import { IconButton } from '../ui/icon-button.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { FileTree, type TreeEdit } from './file-tree-view.tsx';
import styles from './files-panel.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The project's files: open, make, rename and remove them. */
export function FilesPanel({ workspace }: { workspace: Workspace }) {
  const paths = useSource(workspace.paths);
  const active = useSource(workspace.tabs).active;
  const naming = useSource(workspace.naming);

  function name(edit: TreeEdit, path: string | null): void {
    workspace.naming.set(null);
    if (path === null || path === edit.from) return;
    try {
      if (edit.from === null) workspace.createFile(path);
      else workspace.renameFile(edit.from, path);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  function remove(path: string): void {
    const restore = workspace.removeFile(path);
    showToast({ title: `Removed ${path}`, action: { label: 'Undo', run: restore } });
  }

  return (
    <section className={styles.panel} aria-labelledby="files-panel">
      <div className={styles.head}>
        <h2 id="files-panel" className={styles.title}>
          Files
        </h2>
        <IconButton
          label="Close files"
          size="small"
          className={styles.close}
          onClick={() => workspace.closePanel()}
        >
          <X aria-hidden />
        </IconButton>
        <IconButton
          label="New file"
          size="small"
          onClick={() => workspace.naming.set({ from: null })}
        >
          <FilePlus aria-hidden />
        </IconButton>
      </div>
      <FileTree
        paths={paths}
        active={active}
        naming={naming}
        onOpen={workspace.openFile}
        onName={name}
        onRename={(path) => workspace.naming.set({ from: path })}
        onRemove={remove}
      />
    </section>
  );
}
