import { asService, type Backend } from '../_shared/backend.ts';
import { toRecord } from '../_shared/person.ts';
import { listPictures } from '../_shared/pictures.ts';

const pageLength = 20;

/** That one request removes. */
const mostPictures = 100;

/** A call takes no longer, since an answer has its time; whoever calls comes again. */
const patienceMs = 5_000;

/**
 * Removes the accounts whose time to think again is over. One that cannot be removed now stays due,
 * and is passed over for the others. Gives how many there were of both.
 */
export async function removeDue(): Promise<{ removed: number; failed: number }> {
  const service = asService();
  const endsAt = Date.now() + patienceMs;
  const counts = { removed: 0, failed: 0 };
  for await (const person of listDue(service)) {
    counts[(await isRemoved(service, person)) ? 'removed' : 'failed'] += 1;
    if (Date.now() > endsAt) break;
  }
  return counts;
}

/** By their ids, so that each comes once, whether it is there afterwards or not. */
async function* listDue(service: Backend): AsyncGenerator<string> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = await service.read(
      `/rest/v1/deletions?due_at=lte.now&person=gt.${after}&select=person&order=person&limit=${pageLength}`,
    );
    const rows = Array.isArray(page) ? page.map(toRecord) : [];
    for (const { person } of rows) yield (after = String(person));
    if (rows.length < pageLength) return;
  }
}

async function isRemoved(service: Backend, person: string): Promise<boolean> {
  try {
    await remove(service, person);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
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
    const prefixes: string[] = [];
    for await (const name of listPictures(service, person)) {
      if (prefixes.push(name) === mostPictures) break;
    }
    if (prefixes.length === 0) return;
    const removed = await service.read('/storage/v1/object/avatars', {
      method: 'DELETE',
      body: { prefixes },
    });
    if (!Array.isArray(removed) || removed.length === 0) {
      throw new Error('pictures of an account that is due were not removed');
    }
  }
}
