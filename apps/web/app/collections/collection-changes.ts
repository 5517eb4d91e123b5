import { isRecord, VitrineError, type Visibility } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useChange } from '../session/use-change.ts';
import { useClient } from '../session/use-client.ts';
import { callDatabase, type RpcResponse } from '../workspace/saving/project-api.ts';

/** Columns of a collection that its owner changes. */
export interface CollectionDetails {
  readonly title?: string;
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly cover_id?: string | null;
}

/** Changes to one's own collections. Each rejects with an error that the catalog can describe. */
export interface CollectionChanges {
  /** Resolves to the new collection's slug. */
  create(title: string, projects: readonly string[]): Promise<string>;
  update(collection: string, details: CollectionDetails): Promise<void>;
  /** Leaves the page as it is. */
  remove(collection: string): Promise<void>;
  /** Resolves to the number of projects that weren't in it yet. */
  addProjects(collection: string, projects: readonly string[]): Promise<number>;
  removeProject(collection: string, project: string): Promise<void>;
  /** Puts the projects in this order. */
  order(collection: string, projects: readonly string[]): Promise<void>;
  setNote(collection: string, project: string, note: string): Promise<void>;
}

/** Changes collections as the signed-in user, then reloads what the page shows. */
export function useCollectionChanges(): CollectionChanges {
  const getClient = useClient();
  const runChange = useChange();
  const run = (start: StartCall) => runChange((supabase) => callDatabase(start(supabase)));

  const change = (start: StartCall) =>
    runChange(async (supabase) => requireRows(await callDatabase(start(supabase))));

  return {
    async create(title, projects) {
      const made = await run((supabase) => supabase.rpc('create_collection', { title, projects }));
      return isRecord(made) ? String(made.slug) : '';
    },
    update: (collection, details) =>
      change((supabase) =>
        supabase.from('collections').update(details).eq('id', collection).select('id'),
      ),
    async remove(collection) {
      // Without reloading the page, which would be that of a missing collection.
      const supabase = await getClient();
      requireRows(
        await callDatabase(supabase.from('collections').delete().eq('id', collection).select('id')),
      );
    },
    addProjects: async (collection, projects) =>
      Number(await run((supabase) => supabase.rpc('add_to_collection', { collection, projects }))),
    removeProject: async (collection, project) =>
      void (await run((supabase) =>
        supabase.rpc('remove_from_collection', { collection, projects: [project] }),
      )),
    order: async (collection, projects) =>
      void (await run((supabase) => supabase.rpc('order_collection', { collection, projects }))),
    setNote: (collection, project, note) =>
      change((supabase) =>
        supabase
          .from('collection_items')
          .update({ note })
          .eq('collection_id', collection)
          .eq('project_id', project)
          .select('project_id'),
      ),
  };
}

type StartCall = (supabase: SupabaseClient) => PromiseLike<RpcResponse>;

/** A change of what was deleted, or that row-level security forbids, matches no rows. */
function requireRows(rows: unknown): void {
  if (Array.isArray(rows) && rows.length === 0) throw new VitrineError('gone_or_not_allowed');
}
