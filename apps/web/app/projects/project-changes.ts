import { findErrorCode, VitrineError, type Visibility } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useRevalidator } from 'react-router';
import { useChange } from '../session/use-change.ts';
import { callDatabase } from '../workspace/saving/project-api.ts';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import type { OwnProject } from './own-projects.server.ts';

type Projects = readonly Pick<OwnProject, 'id' | 'title' | 'visibility'>[];

/** Changes to the user's projects. Each is one call, however many projects it's about. */
export interface ProjectChanges {
  /** Rejects with an error that the catalog can describe. */
  rename(project: OwnProject, title: string): Promise<void>;
  /** The others show a toast, with Undo where the change can be undone, or with the error. */
  moveToTrash(projects: Projects): Promise<void>;
  restore(projects: Projects): Promise<void>;
  setVisibility(projects: Projects, visibility: Visibility): Promise<void>;
  /** Adds or removes one tag. Rejects instead of showing an error. */
  addTag(projects: Projects, tag: string): Promise<void>;
  removeTag(projects: Projects, tag: string): Promise<void>;
  /** Deletes projects in the trash for good. */
  deleteForever(projects: Projects): Promise<void>;
  emptyTrash(): Promise<void>;
  /** Shows what was changed by other means. */
  reload(): Promise<void>;
}

/** Changes projects as the signed-in user, then reloads what the page shows. */
export function useProjectChanges(): ProjectChanges {
  const run = useChange();
  const { revalidate } = useRevalidator();

  async function tag(ids: readonly string[], change: TagChange): Promise<readonly string[]> {
    return run((supabase) => tagProjects(supabase, ids, change));
  }

  /** Undoes a change from a toast. */
  function undo(change: () => Promise<unknown>) {
    const undoChange = () => void change().catch(showError);
    return { label: 'Undo', run: undoChange };
  }

  const changes: ProjectChanges = {
    reload: revalidate,

    rename: (project, title) => run((supabase) => updateProjects(supabase, [project], { title })),

    moveToTrash: (projects) =>
      orShowError(async () => {
        const trashedAt = new Date().toISOString();
        await run((supabase) => updateProjects(supabase, projects, { trashed_at: trashedAt }));
        showToast({
          title: `Moved ${describeProjects(projects)} to trash`,
          action: undo(() => changes.restore(projects)),
        });
      }),

    restore: (projects) =>
      orShowError(async () => {
        await run((supabase) => updateProjects(supabase, projects, { trashed_at: null }));
        showToast({ title: `Restored ${describeProjects(projects)}` });
      }),

    setVisibility: (projects, visibility) =>
      orShowError(async () => {
        // The others would count as changed just now.
        const changed = projects.filter((project) => project.visibility !== visibility);
        if (changed.length === 0) return;
        await run((supabase) => updateProjects(supabase, changed, { visibility }));
        const before = Map.groupBy(changed, (project) => project.visibility);
        showToast({
          title: `Made ${describeProjects(changed)} ${visibility}`,
          action: undo(() =>
            run(async (supabase) => {
              for (const [old, group] of before)
                await updateProjects(supabase, group, { visibility: old });
            }),
          ),
        });
      }),

    async addTag(projects, added) {
      const changed = await tag(listIds(projects), { added: [added] });
      if (changed.length === 0) return;
      showToast({
        title: `Added “${added}” to ${describeProjects(filterIds(projects, changed))}`,
        action: undo(() => tag(changed, { removed: [added] })),
      });
    },

    async removeTag(projects, removed) {
      const changed = await tag(listIds(projects), { removed: [removed] });
      if (changed.length === 0) return;
      showToast({
        title: `Removed “${removed}” from ${describeProjects(filterIds(projects, changed))}`,
        action: undo(() => tag(changed, { added: [removed] })),
      });
    },

    deleteForever: (projects) =>
      orShowError(async () => {
        await run((supabase) =>
          callDatabase(supabase.rpc('delete_trashed', { projects: listIds(projects) })),
        );
        showToast({ title: `Deleted ${describeProjects(projects)}` });
      }),

    emptyTrash: () =>
      orShowError(async () => {
        await run(async (supabase) => {
          let deleted: unknown;
          do deleted = await callDatabase(supabase.rpc('empty_trash'));
          while (Number(deleted) > 0);
        });
        showToast({ title: 'Trash emptied' });
      }),
  };
  return changes;
}

interface ProjectColumns {
  readonly title?: string;
  readonly visibility?: Visibility;
  readonly trashed_at?: string | null;
}

async function updateProjects(
  supabase: SupabaseClient,
  projects: readonly Pick<OwnProject, 'id'>[],
  columns: ProjectColumns,
): Promise<void> {
  const rows = await callDatabase(
    supabase.from('projects').update(columns).in('id', listIds(projects)).select('id'),
  );
  // An update of what was deleted, or that row-level security forbids, matches no rows.
  if (Array.isArray(rows) && rows.length === 0) throw new VitrineError('gone_or_not_allowed');
}

export interface TagChange {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

/** Changes tags of projects. Resolves to the ids of those that had to be changed. */
export async function tagProjects(
  supabase: SupabaseClient,
  projects: readonly string[],
  { added = [], removed = [] }: TagChange,
): Promise<readonly string[]> {
  const changed = await callDatabase(supabase.rpc('tag_projects', { projects, added, removed }));
  return Array.isArray(changed) ? changed.map(String) : [];
}

function listIds(projects: readonly Pick<OwnProject, 'id'>[]): string[] {
  return projects.map(({ id }) => id);
}

function filterIds(projects: Projects, ids: readonly string[]): Projects {
  return projects.filter(({ id }) => ids.includes(id));
}

/** One project → “Snake”; several → 3 projects. */
export function describeProjects(projects: readonly Pick<OwnProject, 'title'>[]): string {
  const [first] = projects;
  return first && projects.length === 1 ? `“${first.title}”` : `${projects.length} projects`;
}

async function orShowError(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    showError(error);
  }
}

function showError(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
