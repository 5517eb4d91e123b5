import { useSyncExternalStore } from 'react';

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/**
 * 90 minutes ago → "1 hour ago"; less than a minute away → "just now".
 * @param inDays counts days instead of weeks, months and years: "in 30 days"
 */
export function formatRelativeTime(at: Date, now: Date, inDays = false): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const from = inDays ? steps.findIndex(([unit]) => unit === 'day') : 0;
  const step = steps.slice(from).find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now';
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' });
const dayOfYear = new Intl.DateTimeFormat('en', { month: 'long', day: 'numeric' });
const dayAndYear = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/**
 * The local day, as in “changes from …”: "today", "yesterday", "Tuesday" within the last week,
 * otherwise "March 3", or "March 3, 2025" in another year.
 */
export function formatDay(at: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return 'today';
  if (days === 1) return 'yesterday';
  if (days > 1 && days < 7) return weekday.format(at);
  return (at.getFullYear() === now.getFullYear() ? dayOfYear : dayAndYear).format(at);
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

interface RelativeTimeProps {
  at: string | Date;
  /** Counts days instead of weeks, months and years. */
  inDays?: boolean;
}

/** A relative time that updates every minute, with the exact time as its tooltip. */
export function RelativeTime({ at, inDays = false }: RelativeTimeProps) {
  const date = new Date(at);
  const iso = date.toISOString();
  // The server doesn't know the user's clock and time zone, so it renders the date.
  const text = useSyncExternalStore(
    subscribeToMinutes,
    () => formatRelativeTime(date, new Date(), inDays),
    () => iso.slice(0, 10),
  );
  return (
    <time dateTime={iso} title={absolute.format(date)} suppressHydrationWarning>
      {text}
    </time>
  );
}

function subscribeToMinutes(listener: () => void): () => void {
  const timer = setInterval(listener, 60_000);
  return () => clearInterval(timer);
}
