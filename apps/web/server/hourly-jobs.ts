import { describeErrorForLog, type Backend, type Log } from '@vitrine/backend';

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
