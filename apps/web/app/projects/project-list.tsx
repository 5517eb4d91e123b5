import type { Visibility } from '@vitrine/project';
import Globe from 'lucide-react/icons/globe';
import LinkIcon from 'lucide-react/icons/link';
import Lock from 'lucide-react/icons/lock';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import type { OwnProject } from './own-projects.server.ts';
import { useProjectChanges } from './project-changes.ts';
import { ProjectRow, ProjectRows } from './project-row.tsx';
import { RenameDialog } from './rename-dialog.tsx';

interface ProjectListProps {
  projects: readonly OwnProject[];
  username: string;
}

/** A few of the signed-in user's projects, each with a menu. */
export function ProjectList({ projects, username }: ProjectListProps) {
  const { moveToTrash, rename } = useProjectChanges();
  const [renaming, setRenaming] = useState<OwnProject>();
  return (
    <>
      <ProjectRows label="Projects">
        {projects.map((project) => (
          <ProjectRow
            key={project.id}
            title={project.title}
            to={`/@${username}/${project.slug}`}
            details={<VisibilityLabel visibility={project.visibility} />}
            changedAt={project.updatedAt}
            menu={
              <>
                <MenuItem icon={<Pencil aria-hidden />} onSelect={() => setRenaming(project)}>
                  Rename
                </MenuItem>
                <MenuSeparator />
                <MenuItem
                  danger
                  icon={<Trash aria-hidden />}
                  onSelect={() => void moveToTrash([project])}
                >
                  Move to trash
                </MenuItem>
              </>
            }
          />
        ))}
      </ProjectRows>
      <RenameDialog
        key={renaming?.id}
        title={renaming?.title ?? ''}
        open={renaming !== undefined}
        onClose={() => setRenaming(undefined)}
        onRename={async (title) => {
          if (renaming) await rename(renaming, title);
        }}
      />
    </>
  );
}

export const visibilityLabels = {
  private: { text: 'Private', Icon: Lock },
  unlisted: { text: 'Unlisted', Icon: LinkIcon },
  public: { text: 'Public', Icon: Globe },
} as const;

/** A project's visibility as an icon and a label. */
export function VisibilityLabel({ visibility }: { visibility: Visibility }) {
  const { text, Icon } = visibilityLabels[visibility];
  return (
    <>
      <Icon aria-hidden />
      {text}
    </>
  );
}
