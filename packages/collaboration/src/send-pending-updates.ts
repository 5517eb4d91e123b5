import { defaultDatabaseName, openLocalDatabase } from './local-database.ts';
import { toUuid } from './ids.ts';
import { openDocument, type OpenDocumentOptions } from './live-document.ts';

/**
 * Sends the user's pending updates that earlier visits left on this device, project by project.
 * Resolves with the ids of projects that still have pending updates: open them to see why.
 */
export async function sendPendingUpdates(
  options: Required<Pick<OpenDocumentOptions, 'send' | 'load'>> & {
    readonly owner: string;
    readonly database?: string;
  },
): Promise<string[]> {
  const pendingIds: string[] = [];
  for (const id of await findProjectsWithPendingUpdates(options.owner, options.database)) {
    try {
      const live = await openDocument({ ...options, id, kind: 'project' });
      await live.close();
      if (live.state.status !== 'saved') pendingIds.push(id);
    } catch {
      // The project can't be loaded now. Its pending updates stay on the device.
      pendingIds.push(id);
    }
  }
  return pendingIds;
}

async function findProjectsWithPendingUpdates(
  owner: string,
  database = defaultDatabaseName,
): Promise<Set<string>> {
  const rows = await openLocalDatabase(database).run((transaction) =>
    transaction
      .objectStore('outbox')
      .index('scope')
      // Scopes are "OWNER ID", and "!" comes right after " ".
      .getAll(IDBKeyRange.bound(`${owner} `, `${owner}!`, true, true)),
  );
  return new Set(rows.map(({ scope }) => toUuid(scope.slice(owner.length + 1))));
}
