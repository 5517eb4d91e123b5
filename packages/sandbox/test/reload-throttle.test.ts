import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReloadThrottle } from '../src/host/reload-throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Edits a text of a size at an interval; returns the times of reloads, in milliseconds. */
function typeInto(size: number, everyMs: number, edits: number): number[] {
  const start = performance.now();
  const loads: number[] = [];
  const edit = () => {
    if (pace.tryReload(size)) loads.push(performance.now() - start);
  };
  const pace = createReloadThrottle(edit);
  for (let made = 0; made < edits; made += 1) {
    edit();
    vi.advanceTimersByTime(everyMs);
  }
  vi.advanceTimersByTime(1_000);
  return loads;
}

describe('P-36 reloads a page', () => {
  it('with each edit of a small text', () => {
    expect(typeInto(1_000, 100, 5)).toEqual([0, 100, 200, 300, 400]);
  });

  it('at once and then in the next pause, for a large text', () => {
    expect(typeInto(100_000, 100, 5)).toEqual([0, 601]);
  });

  it('with each edit of a large text, if edits are slow', () => {
    expect(typeInto(100_000, 300, 3)).toEqual([0, 300, 600]);
  });

  it('from time to time during continuous typing', () => {
    expect(typeInto(100_000, 100, 32)).toEqual([0, 1_500, 3_000, 3_301]);
  });

  it('no more after cancel', () => {
    const onRest = vi.fn();
    const pace = createReloadThrottle(onRest);
    pace.tryReload(100_000);
    expect(pace.tryReload(100_000)).toBe(false);
    pace.cancel();
    vi.advanceTimersByTime(1_000);
    expect(onRest).not.toHaveBeenCalled();
  });
});
