import { describeErrorForLog, type Backend, type Log } from '@vitrine/backend';

const hourMs = 3_600_000;
/** Delay of the first run, because the function calls this instance's listener. */
const firstRunMs = 60_000;

type BackendClient = Pick<Backend, 'fetch' | 'secretKey'>;

/** Deletes the accounts that are due, every hour. Returns a function that stops it. */
export function scheduleAccountDeletions(backend: BackendClient, log: Log): () => void {
  const run = async () => {
    try {
      const failed = await deleteDueAccounts(backend);
      if (failed > 0)
        log.warn('Couldn’t delete some accounts that are due for deletion.', { failed });
    } catch (error) {
      log.warn('Couldn’t delete accounts that are due for deletion.', {
        reason: describeErrorForLog(error),
      });
    }
  };
  const first = setTimeout(() => void run(), firstRunMs).unref();
  const timer = setInterval(() => void run(), hourMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/**
 * Calls the edge function `delete-account` if any account is due, to start no process otherwise.
 * Resolves to the number of accounts that it could not delete; the function logs why.
 */
export async function deleteDueAccounts({ fetch, secretKey }: BackendClient): Promise<number> {
  const request = (path: string, method: string) =>
    fetch(
      new Request(`http://backend${path}`, {
        method,
        headers: { apikey: secretKey, authorization: `Bearer ${secretKey}` },
      }),
    );
  const due = await request('/rest/v1/deletions?due_at=lte.now&select=person&limit=1', 'GET');
  const rows: unknown = await due.json();
  if (!Array.isArray(rows))
    throw new Error(`listing due deletions failed with status ${due.status}`);
  if (rows.length === 0) return 0;
  const response = await request('/functions/v1/delete-account', 'POST');
  if (!response.ok) throw new Error(`delete-account failed with status ${response.status}`);
  const body: unknown = await response.json();
  const hasCount = typeof body === 'object' && body !== null && 'failed' in body;
  if (!hasCount) throw new Error('delete-account returned no count of failures');
  return Number(body.failed);
}
