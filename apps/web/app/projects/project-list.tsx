import { findErrorCode, VitrineError } from '@vitrine/project';
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
import { VisibilityLabel } from './visibility-label.tsx';
import { WorkRow, WorkRows } from './work-row.tsx';

interface ProjectListProps {
  projects: readonly OwnProject[];
  username: string;
}

/** A person's projects, each with what its owner may do to it. */
export function ProjectList({ projects, username }: ProjectListProps) {
  const change = useProjectChange();
  const [renamed, setRenamed] = useState<OwnProject>();
  const trash = async (project: OwnProject) => {
    await change(project, { trashed_at: new Date().toISOString() });
    showToast({
      title: `Moved “${project.title}” to trash`,
      action: { label: 'Undo', run: () => void restore(change, project) },
    });
  };
  return (
    <>
      <WorkRows label="Projects">
        {projects.map((project) => (
          <WorkRow
            key={project.id}
            title={project.title}
            to={`/@${username}/${project.slug}`}
            about={<VisibilityLabel visibility={project.visibility} />}
            changedAt={project.updatedAt}
            menu={
              <>
                <MenuItem icon={<Pencil aria-hidden />} onSelect={() => setRenamed(project)}>
                  Rename
                </MenuItem>
                <MenuSeparator />
                <MenuItem
                  danger
                  icon={<Trash aria-hidden />}
                  onSelect={() => void trash(project).catch(tell)}
                >
                  Move to trash
                </MenuItem>
              </>
            }
          />
        ))}
      </WorkRows>
      <RenameDialog
        key={renamed?.id}
        title={renamed?.title ?? ''}
        open={renamed !== undefined}
        onClose={() => setRenamed(undefined)}
        onRename={async (title) => {
          if (renamed) await change(renamed, { title });
        }}
      />
    </>
  );
}

/** What can still be taken back. */
export function TrashList({ projects }: { projects: readonly OwnProject[] }) {
  const change = useProjectChange();
  return (
    <WorkRows label="Trash">
      {projects.map((project) => (
        <WorkRow
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
    </WorkRows>
  );
}

type Change = (
  project: OwnProject,
  columns: { title?: string; trashed_at?: string | null },
) => Promise<void>;

/** Writes columns of a project as its owner, then reads the lists again. */
function useProjectChange(): Change {
  const client = useClient();
  const { revalidate } = useRevalidator();
  return async (project, columns) => {
    const supabase = await client();
    const { data, error } = await supabase
      .from('projects')
      .update(columns)
      .eq('id', project.id)
      .select('id');
    if (error) throw new VitrineError(findErrorCode(error), error.message, { cause: error });
    // Row level security refuses an update by matching nothing.
    if (data.length === 0) throw new VitrineError('not_allowed');
    await revalidate();
  };
}

async function restore(change: Change, project: OwnProject): Promise<void> {
  try {
    await change(project, { trashed_at: null });
    showToast({ title: `Restored “${project.title}”` });
  } catch (error) {
    tell(error);
  }
}

function tell(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
