import { asService, type BackendApi } from '../_shared/backend.ts';
import { collectAssets, collectPosters } from '../_shared/collect-assets.ts';
import { listObjects } from '../_shared/objects.ts';
import { toRecord } from '../_shared/person.ts';

const pageLength = 20;

/** Pictures per delete request. */
const mostPictures = 100;

/**
 * Milliseconds after which a call stops, because of the function's time limit; the caller calls
 * again.
 */
const patienceMs = 5_000;

/**
 * Deletes the accounts whose grace period is over. One that cannot be deleted stays due and does
 * not block the others. Returns the number of both.
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

/** Lists due accounts by id, so that each comes once, whether or not it was deleted. */
async function* listDue(service: BackendApi): AsyncGenerator<string> {
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

async function isRemoved(service: BackendApi, person: string): Promise<boolean> {
  try {
    await remove(service, person);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

/**
 * Deletes the pictures first: once the account is gone, nothing refers to them. Assets and posters
 * come last, since the account's own projects are deleted with it, and assets that forks of others
 * have stay.
 */
async function remove(service: BackendApi, person: string): Promise<void> {
  await removePictures(service, person);
  const answer = await service.ask(`/auth/v1/admin/users/${person}`, {
    method: 'DELETE',
    body: { should_soft_delete: false },
  });
  // Another process may have deleted it meanwhile.
  if (!answer.ok && answer.status !== 404) {
    throw new Error(`couldn’t delete an account that’s due: ${answer.status}`);
  }
  try {
    await collectAssets(service, person);
    await collectPosters(service, person);
  } catch (error) {
    // Nothing refers to them any more, so they are deleted with others: assets within a week, posters
    // of the account's projects within the hour.
    console.error(error instanceof Error ? error.message : error);
  }
}

async function removePictures(service: BackendApi, person: string): Promise<void> {
  for (;;) {
    const prefixes: string[] = [];
    for await (const name of listObjects(service, 'avatars', person)) {
      if (prefixes.push(name) === mostPictures) break;
    }
    if (prefixes.length === 0) return;
    const removed = await service.read('/storage/v1/object/avatars', {
      method: 'DELETE',
      body: { prefixes },
    });
    if (!Array.isArray(removed) || removed.length === 0) {
      throw new Error('couldn’t delete the pictures of an account that’s due');
    }
  }
}
