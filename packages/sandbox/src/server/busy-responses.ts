/**
 * Responses while the server is too busy to compile a file for a client. Pages wait: what a page loads is held until
 * the file can be compiled, and a page itself is replaced by one that says so and tries again. An error would leave
 * the visitor with a page without its styles or scripts.
 */
import { documentHeaders } from '../headers.ts';
import { CompileError, type CompileErrorCode } from './compile-job.ts';

/** Failures that a retry of the same file may not have. */
const busyCodes: ReadonlySet<CompileErrorCode> = new Set([
  'overloaded',
  'queue_full',
  'quota_exceeded',
]);

export function isBusy(error: unknown): error is CompileError & { retryAfterS: number } {
  return (
    error instanceof CompileError && busyCodes.has(error.code) && error.retryAfterS !== undefined
  );
}

/** Longest time that a request is held. Proxies give up after 30 s or more. */
const maxHoldMs = 12_000;
const maxHeld = 200;
const maxHeldPerClient = 12;

/** Holds requests whose files can’t be compiled now. */
export interface RequestHolder {
  /**
   * Runs `respond`, and again once that makes sense, until it doesn't reject with a busy error. Rejects with it if
   * that would take too long or too many requests are held, and when the request is aborted.
   */
  hold(client: string, signal: AbortSignal, respond: () => Promise<Response>): Promise<Response>;
}

export function createRequestHolder(): RequestHolder {
  /** Number of held requests by client, without those that have none. */
  const held = new Map<string, number>();
  let total = 0;
  const count = (client: string, change: 1 | -1) => {
    const now = (held.get(client) ?? 0) + change;
    total += change;
    if (now === 0) held.delete(client);
    else held.set(client, now);
  };
  return {
    async hold(client, signal, respond) {
      const deadline = performance.now() + maxHoldMs;
      for (;;) {
        try {
          return await respond();
        } catch (error) {
          if (!isBusy(error)) throw error;
          const waitMs = error.retryAfterS * 1_000;
          const isFull = total >= maxHeld || (held.get(client) ?? 0) >= maxHeldPerClient;
          if (isFull || performance.now() + waitMs > deadline) throw error;
          count(client, 1);
          await wait(waitMs, signal).finally(() => count(client, -1));
          if (signal.aborted) throw error;
        }
      }
    },
  };
}

/** Resolves after this time, or when the signal aborts. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Page in place of one that can't be compiled now. It loads the same URL again. */
export function respondBusyPage(
  { retryAfterS }: { readonly retryAfterS: number },
  status: number,
  appOrigins: readonly string[],
): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Waiting…</title>
<meta name="viewport" content="width=device-width">
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; padding: 0 24px; }
</style>
<main>
  <p role="status">The server is busy. This page opens as soon as it’s ready.</p>
</main>
</html>
`;
  const headers = new Headers(documentHeaders(appOrigins));
  headers.set('Cache-Control', 'no-store');
  headers.set('Retry-After', String(retryAfterS));
  headers.set('Refresh', String(retryAfterS));
  return new Response(html, { status, headers });
}
