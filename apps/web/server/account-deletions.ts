import type { Log } from '@vitrine/backend';
import { requestAsService, scheduleHourly, type BackendClient } from './hourly-jobs.ts';

/** Delay of the first run, because the function calls this instance's listener. */
const firstRunMs = 60_000;

/** Deletes the accounts that are due, every hour. Returns a function that stops it. */
export function scheduleAccountDeletions(backend: BackendClient, log: Log): () => void {
  const run = async () => {
    const failed = await deleteDueAccounts(backend);
    if (failed > 0)
      log.warn('Couldn’t delete some accounts that are due for deletion.', { failed });
  };
  const failure = 'Couldn’t delete accounts that are due for deletion.';
  return scheduleHourly(run, { firstRunMs, failure }, log);
}

/**
 * Calls the edge function `delete-account` if any account is due, to start no process otherwise.
 * Resolves to the number of accounts that it could not delete; the function logs why.
 */
export async function deleteDueAccounts(backend: BackendClient): Promise<number> {
  const due = await requestAsService(
    backend,
    '/rest/v1/deletions?due_at=lte.now&select=person&limit=1',
    { method: 'GET' },
  );
  const rows: unknown = await due.json();
  if (!Array.isArray(rows))
    throw new Error(`listing due deletions failed with status ${due.status}`);
  if (rows.length === 0) return 0;
  const response = await requestAsService(backend, '/functions/v1/delete-account', {
    method: 'POST',
  });
  if (!response.ok) throw new Error(`delete-account failed with status ${response.status}`);
  const body: unknown = await response.json();
  const hasCount = typeof body === 'object' && body !== null && 'failed' in body;
  if (!hasCount) throw new Error('delete-account returned no count of failures');
  return Number(body.failed);
}
