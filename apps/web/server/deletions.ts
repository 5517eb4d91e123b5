import { describeReason, type Backend } from '@vitrine/backend';
import type { Log } from './log.ts';

const hourMs = 3_600_000;
/** Once the listener answers, which the function asks. */
const firstMs = 60_000;

type Asked = Pick<Backend, 'fetch' | 'secretKey'>;

/** Every hour removes the accounts whose days to think again are over. Gives what ends that. */
export function keepDeletions(backend: Asked, log: Log): () => void {
  const look = async () => {
    try {
      const failed = await removeDue(backend);
      if (failed > 0) log.warn('Some accounts due for deletion could not be deleted.', { failed });
    } catch (error) {
      log.warn('Accounts due for deletion were not deleted.', { reason: describeReason(error) });
    }
  };
  const first = setTimeout(() => void look(), firstMs).unref();
  const timer = setInterval(() => void look(), hourMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/**
 * Asks the function where there is something to remove: else no process is started for it. Gives how
 * many accounts it could not remove; its own log says why.
 */
export async function removeDue({ fetch, secretKey }: Asked): Promise<number> {
  const ask = (path: string, method: string) =>
    fetch(
      new Request(`http://backend${path}`, {
        method,
        headers: { apikey: secretKey, authorization: `Bearer ${secretKey}` },
      }),
    );
  const due = await ask('/rest/v1/deletions?due_at=lte.now&select=person&limit=1', 'GET');
  const rows: unknown = await due.json();
  if (!Array.isArray(rows))
    throw new Error(`listing due deletions failed with status ${due.status}`);
  if (rows.length === 0) return 0;
  const answer = await ask('/functions/v1/delete-account', 'POST');
  if (!answer.ok) throw new Error(`delete-account failed with status ${answer.status}`);
  const told: unknown = await answer.json();
  const counts = typeof told === 'object' && told !== null && 'failed' in told;
  if (!counts) throw new Error('delete-account returned no count of failures');
  return Number(told.failed);
}
