import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../src/limits.ts';
import {
  isWaitingForRetry,
  loadWithRetries,
  retryLoadingNow,
  watchRetries,
} from '../src/retry-loading.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  retryLoadingNow();
  vi.useRealTimers();
});

/** Fails as browsers do until `isReachable`. */
class Server {
  isReachable = false;
  requests = 0;
  readonly load = (): Promise<string> => {
    this.requests += 1;
    return this.isReachable
      ? Promise.resolve('loaded')
      : Promise.reject(new TypeError('Failed to fetch dynamically imported module: /assets/a.js'));
  };
}

test('what failed to load is retried after growing delays, until it loads', async () => {
  const server = new Server();
  const onFailure = vi.fn();
  const loading = loadWithRetries(server.load, { onFailure });
  for (const [retries, seconds] of [...limits.retrySeconds, 10].entries()) {
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(server.requests).toBe(retries + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(server.requests).toBe(retries + 2);
  }
  server.isReachable = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await loading).toBe('loaded');
  expect(onFailure).toHaveBeenCalledTimes(limits.retrySeconds.length + 2);
});

test('everything that waits is retried when the connection is back, or something loads', async () => {
  const server = new Server();
  const all = [loadWithRetries(server.load), loadWithRetries(server.load)];
  await vi.advanceTimersByTimeAsync(0);
  server.isReachable = true;
  retryLoadingNow();
  expect(await Promise.all(all)).toEqual(['loaded', 'loaded']);
  server.isReachable = false;
  const waiting = loadWithRetries(server.load);
  await vi.advanceTimersByTimeAsync(0);
  server.isReachable = true;
  expect(await loadWithRetries(server.load)).toBe('loaded');
  expect(await waiting).toBe('loaded');
});

test('listeners are told when a part starts and the last one stops waiting', async () => {
  const server = new Server();
  const states: boolean[] = [];
  const unwatch = watchRetries(() => states.push(isWaitingForRetry()));
  const all = [loadWithRetries(server.load), loadWithRetries(server.load)];
  await vi.advanceTimersByTimeAsync(0);
  expect(states).toEqual([true]);
  server.isReachable = true;
  retryLoadingNow();
  await Promise.all(all);
  expect(states).toEqual([true, false]);
  unwatch();
});

test('an abort ends the retries, and an error of the code itself isn’t retried', async () => {
  const server = new Server();
  const controller = new AbortController();
  const loading = loadWithRetries(server.load, { signal: controller.signal });
  await vi.advanceTimersByTimeAsync(0);
  controller.abort(new Error('closed'));
  await expect(loading).rejects.toThrow('closed');
  expect(isWaitingForRetry()).toBe(false);
  const broken = loadWithRetries(() => Promise.reject(new TypeError('x is not a function')));
  await expect(broken).rejects.toThrow('x is not a function');
});
