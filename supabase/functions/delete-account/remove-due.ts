import { asService, type Backend } from '../_shared/backend.ts';
import { toRecord } from '../_shared/person.ts';

/** At a time; whoever calls comes again. */
const atOnce = 20;

/**
 * Removes the accounts whose time to think again is over; gives how many. One that cannot be removed
 * now stays due, and the others go.
 */
export async function removeDue(): Promise<number> {
  const service = asService();
  const due = await service.read(
    `/rest/v1/deletions?due_at=lte.now&select=person&order=due_at&limit=${atOnce}`,
  );
  let removed = 0;
  for (const row of Array.isArray(due) ? due.map(toRecord) : []) {
    try {
      await remove(service, String(row['person']));
      removed += 1;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  }
  return removed;
}

/** Pictures first: without the account nothing would lead to them any more. */
async function remove(service: Backend, person: string): Promise<void> {
  await removePictures(service, person);
  const answer = await service.ask(`/auth/v1/admin/users/${person}`, {
    method: 'DELETE',
    body: { should_soft_delete: false },
  });
  // Another process may have been here before.
  if (!answer.ok && answer.status !== 404) {
    throw new Error(`an account that is due was not removed: ${answer.status}`);
  }
}

async function removePictures(service: Backend, person: string): Promise<void> {
  for (;;) {
    const listed = await service.read('/storage/v1/object/list/avatars', {
      method: 'POST',
      body: { prefix: person, limit: 100 },
    });
    const names = Array.isArray(listed) ? listed.map((one) => String(toRecord(one)['name'])) : [];
    if (names.length === 0) return;
    const prefixes = names.map((name) => `${person}/${name}`);
    const removed = await service.read('/storage/v1/object/avatars', {
      method: 'DELETE',
      body: { prefixes },
    });
    if (!Array.isArray(removed) || removed.length === 0) {
      throw new Error('pictures of an account that is due were not removed');
    }
  }
}
