import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWatchdog } from '../src/host/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(heartbeat: { silentMs: number }, page = { isBehind: false }) {
  const onHung = vi.fn();
  const isBehind = () => page.isBehind;
  return {
    onHung,
    watchdog: createWatchdog({
      heartbeat,
      unresponsiveMs: 400,
      isOutdated: isBehind,
      onUnresponsive: onHung,
    }),
  };
}

it('P-21 replaces an unresponsive page once its code hasn’t changed for a moment', () => {
  const { onHung, watchdog } = watch({ silentMs: 2_000 });
  for (let key = 0; key < 20; key += 1) {
    watchdog.watch();
    vi.advanceTimersByTime(150);
  }
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 keeps a page that responds in the meantime', () => {
  const heartbeat = { silentMs: 2_000 };
  const { onHung, watchdog } = watch(heartbeat);
  watchdog.watch();
  heartbeat.silentMs = 0;
  vi.advanceTimersByTime(1_000);
  expect(onHung).not.toHaveBeenCalled();
});

it('P-21 waits for a page that isn’t known to be unresponsive yet', () => {
  const heartbeat = { silentMs: 100 };
  const { onHung, watchdog } = watch(heartbeat);
  watchdog.watch();
  vi.advanceTimersByTime(400);
  heartbeat.silentMs = 500;
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 replaces a page that becomes unresponsive late, with older code', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isBehind: true };
  const { onHung, watchdog } = watch(heartbeat, page);
  watchdog.watch();
  vi.advanceTimersByTime(20_000);
  expect(onHung).not.toHaveBeenCalled();
  heartbeat.silentMs = 1_000;
  vi.advanceTimersByTime(200);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 keeps a page that is unresponsive with the newest code', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isBehind: true };
  const { onHung, watchdog } = watch(heartbeat, page);
  watchdog.watch();
  vi.advanceTimersByTime(500);
  page.isBehind = false;
  for (let count = 0; count < 20; count += 1) {
    heartbeat.silentMs += 200;
    vi.advanceTimersByTime(200);
  }
  expect(onHung).not.toHaveBeenCalled();
});

it('P-21 stops watching a page once it is replaced', () => {
  const { onHung, watchdog } = watch({ silentMs: 2_000 });
  watchdog.watch();
  watchdog.stop();
  vi.advanceTimersByTime(1_000);
  expect(onHung).not.toHaveBeenCalled();
});
