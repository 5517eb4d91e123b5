import { getTexts, toTextFiles } from '@vitrine/project';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRunScheduler, type RunMode } from '../../src/host/run-scheduler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(mode: RunMode) {
  const taken: string[] = [];
  const pace = createRunScheduler(mode, ({ changed }) => {
    taken.push(...getTexts(changed).values());
  });
  const type = (text: string) =>
    pace.schedule({ changed: toTextFiles([['a', text]]), removed: [] });
  return { pace, taken, type };
}

it('runs each edit as it is typed', () => {
  const { taken, type } = start('typing');
  type('1');
  type('2');
  expect(taken).toEqual(['1', '2']);
});

it('runs the latest edit after a pause in typing', () => {
  const { taken, type } = start('pause');
  type('1');
  vi.advanceTimersByTime(500);
  type('2');
  vi.advanceTimersByTime(500);
  expect(taken).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(taken).toEqual(['2']);
});

it('runs the latest edit once when the user runs it', () => {
  const { pace, taken, type } = start('hand');
  type('1');
  type('2');
  vi.advanceTimersByTime(60_000);
  expect(taken).toEqual([]);
  pace.flush();
  pace.flush();
  expect(taken).toEqual(['2']);
});

it('runs held edits when the mode changes to typing', () => {
  const { pace, taken, type } = start('hand');
  type('1');
  pace.setMode('typing');
  expect(taken).toEqual(['1']);
});

it('runs nothing after close', () => {
  const { pace, taken, type } = start('pause');
  type('1');
  pace.close();
  vi.advanceTimersByTime(60_000);
  expect(taken).toEqual([]);
});
