import { describeReason, type Backend } from '@vitrine/backend';
import type { Log } from './log.ts';

const hourMs = 3_600_000;
/** Once the listener answers, which the function asks. */
const firstMs = 60_000;

type Asked = Pick<Backend, 'fetch' | 'secretKey'>;

/** Every hour removes the accounts whose days to think again are over. Gives what ends that. */
export function keepDeletions(backend: Asked, log: Log): () => void {
  const look = () => {
    removeDue(backend).catch((error: unknown) =>
      log.warn('Accounts that are due were not removed.', { reason: describeReason(error) }),
    );
  };
  const first = setTimeout(look, firstMs).unref();
  const timer = setInterval(look, hourMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/** Asks the function where there is something to remove: else no process is started for it. */
export async function removeDue({ fetch, secretKey }: Asked): Promise<void> {
  const ask = (path: string, method: string) =>
    fetch(
      new Request(`http://backend${path}`, {
        method,
        headers: { apikey: secretKey, authorization: `Bearer ${secretKey}` },
      }),
    );
  const due = await ask('/rest/v1/deletions?due_at=lte.now&select=person&limit=1', 'GET');
  const rows: unknown = await due.json();
  if (!Array.isArray(rows)) throw new Error(`the list was answered ${due.status}`);
  if (rows.length === 0) return;
  const answer = await ask('/functions/v1/delete-account', 'POST');
  if (!answer.ok) throw new Error(`the function answered ${answer.status}`);
}
