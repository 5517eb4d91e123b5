import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWatchdog } from '../src/host/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(heartbeat: { silentMs: number }, page = { isOutdated: false }) {
  const onUnresponsive = vi.fn();
  const isOutdated = () => page.isOutdated;
  return {
    onUnresponsive,
    watchdog: createWatchdog({
      heartbeat,
      unresponsiveMs: 400,
      isOutdated,
      onUnresponsive,
    }),
  };
}

it('P-21 replaces an unresponsive page once its code hasn’t changed for a moment', () => {
  const { onUnresponsive, watchdog } = watch({ silentMs: 2_000 });
  for (let key = 0; key < 20; key += 1) {
    watchdog.watch();
    vi.advanceTimersByTime(150);
  }
  expect(onUnresponsive).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onUnresponsive).toHaveBeenCalledOnce();
});

it('P-21 keeps a page that responds in the meantime', () => {
  const heartbeat = { silentMs: 2_000 };
  const { onUnresponsive, watchdog } = watch(heartbeat);
  watchdog.watch();
  heartbeat.silentMs = 0;
  vi.advanceTimersByTime(1_000);
  expect(onUnresponsive).not.toHaveBeenCalled();
});

it('P-21 waits for a page that isn’t known to be unresponsive yet', () => {
  const heartbeat = { silentMs: 100 };
  const { onUnresponsive, watchdog } = watch(heartbeat);
  watchdog.watch();
  vi.advanceTimersByTime(400);
  heartbeat.silentMs = 500;
  expect(onUnresponsive).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onUnresponsive).toHaveBeenCalledOnce();
});

it('P-21 replaces a page that becomes unresponsive late, with older code', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isOutdated: true };
  const { onUnresponsive, watchdog } = watch(heartbeat, page);
  watchdog.watch();
  vi.advanceTimersByTime(20_000);
  expect(onUnresponsive).not.toHaveBeenCalled();
  heartbeat.silentMs = 1_000;
  vi.advanceTimersByTime(200);
  expect(onUnresponsive).toHaveBeenCalledOnce();
});

it('P-21 keeps a page that is unresponsive with the newest code', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isOutdated: true };
  const { onUnresponsive, watchdog } = watch(heartbeat, page);
  watchdog.watch();
  vi.advanceTimersByTime(500);
  page.isOutdated = false;
  for (let count = 0; count < 20; count += 1) {
    heartbeat.silentMs += 200;
    vi.advanceTimersByTime(200);
  }
  expect(onUnresponsive).not.toHaveBeenCalled();
});

it('P-21 stops watching a page once it is replaced', () => {
  const { onUnresponsive, watchdog } = watch({ silentMs: 2_000 });
  watchdog.watch();
  watchdog.stop();
  vi.advanceTimersByTime(1_000);
  expect(onUnresponsive).not.toHaveBeenCalled();
});
