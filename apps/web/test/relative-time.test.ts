import { expect, test } from 'vitest';
import { formatDay } from '../app/ui/relative-time.tsx';

test('formats the day relative to today in local time', () => {
  const now = new Date(2026, 2, 12, 0, 30);
  const days = [
    [new Date(2026, 2, 12, 0, 1), 'today'],
    [new Date(2026, 2, 11, 23, 59), 'yesterday'],
    [new Date(2026, 2, 10, 12), 'Tuesday'],
    [new Date(2026, 2, 6, 12), 'Friday'],
    [new Date(2026, 2, 5, 12), 'March 5'],
    [new Date(2025, 11, 31, 12), 'December 31, 2025'],
  ] as const;
  expect(days.map(([at]) => formatDay(at, now))).toEqual(days.map(([, words]) => words));
});
