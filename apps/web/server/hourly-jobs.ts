import { describeErrorForLog, type Backend, type Log } from '@vitrine/backend';
import { limits } from '@vitrine/project';

const hourMs = 3_600_000;

export type BackendClient = Pick<Backend, 'fetch' | 'secretKey'>;

interface HourlyOptions {
  /** Delay of the first run. */
  readonly firstRunMs: number;
  /** Log message for a run that fails. */
  readonly failure: string;
}

/** Runs a job every hour and logs its errors. Returns a function that stops it. */
export function scheduleHourly(
  job: () => Promise<void>,
  { firstRunMs, failure }: HourlyOptions,
  log: Log,
): () => void {
  const run = () => {
    job().catch((error: unknown) => log.warn(failure, { reason: describeErrorForLog(error) }));
  };
  const first = setTimeout(run, firstRunMs).unref();
  const timer = setInterval(run, hourMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/** Sends a request to the backend with the secret key. */
export function requestAsService(
  { fetch, secretKey }: BackendClient,
  path: string,
  init: { method: string; body?: unknown },
): Promise<Response> {
  return fetch(
    new Request(`http://backend${path}`, {
      method: init.method,
      headers: {
        apikey: secretKey,
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    }),
  );
}

/**
 * Deletes the projects that have been in the trash for `limits.trashDays`, in calls that are short
 * enough for the database's time limit. Resolves to their number. Rejects if a call fails.
 */
export async function purgeTrash(backend: BackendClient): Promise<number> {
  for (let deleted = 0; ;) {
    const response = await requestAsService(backend, '/rest/v1/rpc/purge_trash', {
      method: 'POST',
      body: { most: limits.purgedPerCall },
    });
    if (!response.ok) throw new Error(`purge_trash failed with status ${response.status}`);
    const count = Number(await response.json());
    deleted += count;
    if (!(count >= limits.purgedPerCall)) return deleted;
  }
}
