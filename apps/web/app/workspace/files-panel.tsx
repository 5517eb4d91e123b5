import { findErrorCode } from '@vitrine/project';
import FilePlus from 'lucide-react/icons/file-plus';
import { IconButton } from '../ui/icon-button.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { FileTree, type TreeEdit } from './file-tree-view.tsx';
import { Panel } from './panel.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The project's files: open, make, rename and remove them. */
export function FilesPanel({ workspace }: { workspace: Workspace }) {
  const paths = useSource(workspace.paths);
  const active = useSource(workspace.openFiles.tabs).active;
  const naming = useSource(workspace.naming);

  function name(edit: TreeEdit, path: string | null): void {
    workspace.naming.set(null);
    if (path === null || path === edit.from) return;
    try {
      if (edit.from === null) workspace.createFile(path);
      else workspace.changes.rename(edit.from, path);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  function remove(path: string): void {
    const restore = workspace.removeFile(path);
    showToast({ title: `Removed ${path}`, action: { label: 'Undo', run: restore } });
  }

  return (
    <Panel
      title="Files"
      workspace={workspace}
      actions={
        <IconButton
          label="New file"
          size="small"
          onClick={() => workspace.naming.set({ from: null })}
        >
          <FilePlus aria-hidden />
        </IconButton>
      }
    >
      <FileTree
        paths={paths}
        active={active}
        naming={naming}
        onOpen={workspace.openFiles.show}
        onName={name}
        onRename={(path) => workspace.naming.set({ from: path })}
        onRemove={remove}
      />
    </Panel>
  );
}
