import { findErrorCode, VitrineError, type Visibility } from '@vitrine/project';
import Globe from 'lucide-react/icons/globe';
import LinkIcon from 'lucide-react/icons/link';
import Lock from 'lucide-react/icons/lock';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import type { OwnProject } from './own-projects.server.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { ProjectRow, ProjectRows } from './project-row.tsx';

interface ProjectListProps {
  projects: readonly OwnProject[];
  username: string;
}

/** The signed-in user's projects, each with a menu. */
export function ProjectList({ projects, username }: ProjectListProps) {
  const change = useProjectChange();
  const [renaming, setRenaming] = useState<OwnProject>();
  const trash = async (project: OwnProject) => {
    await change(project, { trashed_at: new Date().toISOString() });
    showToast({
      title: `Moved “${project.title}” to trash`,
      action: { label: 'Undo', run: () => void restore(change, project) },
    });
  };
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
                  onSelect={() => void trash(project).catch(showError)}
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
          if (renaming) await change(renaming, { title });
        }}
      />
    </>
  );
}

const visibilityLabels = {
  private: { text: 'Private', Icon: Lock },
  unlisted: { text: 'Unlisted', Icon: LinkIcon },
  public: { text: 'Public', Icon: Globe },
} as const;

/** A project's visibility as an icon and a label. */
function VisibilityLabel({ visibility }: { visibility: Visibility }) {
  const { text, Icon } = visibilityLabels[visibility];
  return (
    <>
      <Icon aria-hidden />
      {text}
    </>
  );
}

/** Projects in the trash, which can be restored. */
export function TrashList({ projects }: { projects: readonly OwnProject[] }) {
  const change = useProjectChange();
  return (
    <ProjectRows label="Trash">
      {projects.map((project) => (
        <ProjectRow
          key={project.id}
          title={project.title}
          changedAt={project.updatedAt}
          actions={
            <Button
              size="small"
              aria-label={`Restore ${project.title}`}
              onClick={() => restore(change, project)}
            >
              Restore
            </Button>
          }
        />
      ))}
    </ProjectRows>
  );
}

type Change = (
  project: OwnProject,
  columns: { title?: string; trashed_at?: string | null },
) => Promise<void>;

/** Returns a function that updates columns of a project and revalidates the lists. */
function useProjectChange(): Change {
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  return async (project, columns) => {
    const supabase = await getClient();
    const { data, error } = await supabase
      .from('projects')
      .update(columns)
      .eq('id', project.id)
      .select('id');
    if (error) throw new VitrineError(findErrorCode(error), error.message, { cause: error });
    // Row-level security makes a forbidden update match no rows.
    if (data.length === 0) throw new VitrineError('not_allowed');
    await revalidate();
  };
}

async function restore(change: Change, project: OwnProject): Promise<void> {
  try {
    await change(project, { trashed_at: null });
    showToast({ title: `Restored “${project.title}”` });
  } catch (error) {
    showError(error);
  }
}

function showError(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
