import { defaultDatabase, openDevice } from './device.ts';
import { toUuid } from './ids.ts';
import { openDocument, type OpenOptions } from './live-document.ts';

/**
 * Sends what earlier visits of this person left unsent on this device, project by project. Resolves
 * with the ids of projects that still have something unsent: open them to see why.
 */
export async function sendUnsent(
  options: Required<Pick<OpenOptions, 'send' | 'load'>> & {
    readonly owner: string;
    readonly database?: string;
  },
): Promise<string[]> {
  const left: string[] = [];
  for (const id of await findUnsent(options.owner, options.database)) {
    try {
      const live = await openDocument({ ...options, id, kind: 'project' });
      await live.close();
      if (live.state.status !== 'saved') left.push(id);
    } catch {
      // It cannot be loaded now; its edits stay on the device as they are.
      left.push(id);
    }
  }
  return left;
}

async function findUnsent(owner: string, database = defaultDatabase): Promise<Set<string>> {
  const rows = await openDevice(database).run((transaction) =>
    transaction
      .objectStore('outbox')
      .index('scope')
      // Scopes are "OWNER ID", and "!" comes right after " ".
      .getAll(IDBKeyRange.bound(`${owner} `, `${owner}!`, true, true)),
  );
  return new Set(rows.map(({ scope }) => toUuid(scope.slice(owner.length + 1))));
}
