import { defaultDatabaseName, openLocalDatabase } from './local-database.ts';
import { toUuid } from './ids.ts';
import { restoreUnwritten } from './unwritten-rows.ts';
import { openDocument, type OpenDocumentOptions } from './live-document.ts';

/**
 * Sends the user's pending updates that earlier visits left on this device, project by project.
 * Resolves with the ids of projects that still have pending updates: opening one shows the error.
 */
export async function sendPendingUpdates(
  options: Required<Pick<OpenDocumentOptions, 'send' | 'load'>> & {
    readonly owner: string;
    readonly database?: string;
  },
): Promise<string[]> {
  const pendingProjectIds: string[] = [];
  for (const id of await findProjectsWithPendingUpdates(options.owner, options.database)) {
    try {
      const document = await openDocument({ ...options, id, kind: 'project' });
      await document.close();
      if (document.state.status !== 'saved') pendingProjectIds.push(id);
    } catch {
      // The project can't be loaded now. Its pending updates stay on the device.
      pendingProjectIds.push(id);
    }
  }
  return pendingProjectIds;
}

async function findProjectsWithPendingUpdates(
  owner: string,
  database = defaultDatabaseName,
): Promise<Set<string>> {
  const local = openLocalDatabase(database);
  await restoreUnwritten(local);
  const rows = await local.run((transaction) =>
    transaction
      .objectStore('outbox')
      .index('scope')
      // A project's scope is "OWNER ID", and "!" is the character after " ".
      .getAll(IDBKeyRange.bound(`${owner} `, `${owner}!`, true, true)),
  );
  return new Set(rows.map(({ scope }) => toUuid(scope.slice(owner.length + 1))));
}
