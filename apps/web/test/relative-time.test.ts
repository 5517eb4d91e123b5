import { expect, test } from 'vitest';
import { formatDay, formatRelativeTime } from '../app/ui/relative-time.tsx';

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

test('counts days if asked, also beyond a week', () => {
  const now = new Date(2026, 2, 12);
  const in30Days = new Date(now.getTime() + 30 * 86_400_000);
  expect(formatRelativeTime(in30Days, now)).toBe('in 4 weeks');
  expect(formatRelativeTime(in30Days, now, true)).toBe('in 30 days');
  expect(formatRelativeTime(new Date(now.getTime() + 7_200_000), now, true)).toBe('in 2 hours');
});
