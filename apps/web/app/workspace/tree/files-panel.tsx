import Ellipsis from 'lucide-react/icons/ellipsis';
import FilePlus from 'lucide-react/icons/file-plus';
import FolderPlus from 'lucide-react/icons/folder-plus';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { ProjectTree } from './project-tree.ts';
import { FileTree } from './file-tree-view.tsx';
import type { LayoutController } from '../layout/layout-controller.ts';
import { SidebarPanel } from '../layout/sidebar-panel.tsx';

interface FilesPanelProps {
  layout: LayoutController;
  tree: ProjectTree;
  openFiles: OpenFiles;
}

/** Sidebar panel with the file tree and its actions. */
export function FilesPanel({ layout, tree, openFiles }: FilesPanelProps) {
  return (
    <SidebarPanel
      title="Files"
      layout={layout}
      actions={
        <>
          <IconButton
            label="New file"
            size="small"
            onClick={() => tree.naming.set({ kind: 'file', folder: '' })}
          >
            <FilePlus aria-hidden />
          </IconButton>
          <IconButton
            label="New folder"
            size="small"
            onClick={() => tree.naming.set({ kind: 'folder', folder: '' })}
          >
            <FolderPlus aria-hidden />
          </IconButton>
          <FilesMenu tree={tree} />
        </>
      }
    >
      <FileTree layout={layout} tree={tree} openFiles={openFiles} />
    </SidebarPanel>
  );
}

function FilesMenu({ tree }: { tree: ProjectTree }) {
  return (
    <Menu
      trigger={
        <IconButton label="File actions" size="small">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => tree.upload('')}>Upload</MenuItem>
      <MenuItem onSelect={() => void tree.download(tree.paths.get())}>Download project</MenuItem>
    </Menu>
  );
}
