import { limits } from '@vitrine/project';
import { useState } from 'react';
import { ActionButton, Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SelectionBar } from './bulk-bar.tsx';
import type { WorkProject } from './list-work.server.ts';
import { describeProjects, useProjectChanges } from './project-changes.ts';
import { ProjectRow, ProjectRows } from './project-row.tsx';
import { useSelection } from './selection.ts';
import styles from './trash-list.module.css';
import { SelectBox } from './work-list.tsx';

const dayMs = 86_400_000;

/** When a project in the trash is deleted. */
function getPurgeTime({ trashedAt, updatedAt }: WorkProject): Date {
  return new Date(Date.parse(trashedAt ?? updatedAt) + limits.trashDays * dayMs);
}

/** Projects in the trash, which can be restored or deleted for good. */
export function TrashList({ projects }: { projects: readonly WorkProject[] }) {
  const { restore, deleteForever } = useProjectChanges();
  const selection = useSelection(projects.map(({ id }) => id));
  const [deleting, setDeleting] = useState<readonly WorkProject[]>([]);
  const [isConfirming, setConfirming] = useState(false);
  const selected = projects.filter(({ id }) => selection.has(id));
  const confirm = (toDelete: readonly WorkProject[]) => {
    setDeleting(toDelete);
    setConfirming(true);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles Escape for its contents
    <div onKeyDown={selection.onKeyDown}>
      <ProjectRows label="Trash">
        {projects.map((project) => (
          <ProjectRow
            key={project.id}
            title={project.title}
            select={<SelectBox project={project} selection={selection} />}
            below={
              <span className={styles.purge}>
                Will be deleted <RelativeTime at={getPurgeTime(project)} inDays />
              </span>
            }
            changedAt={project.trashedAt ?? project.updatedAt}
            actions={
              <>
                <ActionButton
                  size="small"
                  aria-label={`Restore ${project.title}`}
                  onPress={() => restore([project])}
                >
                  Restore
                </ActionButton>
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={`Delete forever: ${project.title}`}
                  onClick={() => confirm([project])}
                >
                  Delete forever
                </Button>
              </>
            }
          />
        ))}
      </ProjectRows>
      <SelectionBar selection={selection}>
        <ActionButton size="small" onPress={() => restore(selected)}>
          Restore
        </ActionButton>
        <Button size="small" onClick={() => confirm(selected)}>
          Delete forever
        </Button>
      </SelectionBar>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Delete ${describeProjects(deleting)} forever?`}
        description="This can’t be undone. Other people’s forks won’t be deleted."
        action="Delete forever"
        onConfirm={() => deleteForever(deleting)}
      />
    </div>
  );
}

/** Deletes everything in the trash, after a confirmation. */
export function EmptyTrashButton({ count }: { count: number }) {
  const { emptyTrash } = useProjectChanges();
  const [isOpen, setOpen] = useState(false);
  const projects = count === 1 ? '1 project' : `${count} projects`;
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Empty trash
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Empty the trash?"
        description={`${projects} will be deleted. This can’t be undone.`}
        action="Empty trash"
        onConfirm={emptyTrash}
      />
    </>
  );
}
