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

/** A time 90 minutes back → "1 hour ago"; within a minute, either way → "just now". */
export function describeMoment(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now';
}

/** When something was, as people say it; the exact time on hovering. */
export function Moment({ at }: { at: string | Date }) {
  const date = new Date(at);
  const iso = date.toISOString();
  // The server knows neither the person's clock nor their zone, so it writes the day.
  const words = useSyncExternalStore(
    subscribeToMinutes,
    () => describeMoment(date, new Date()),
    () => iso.slice(0, 10),
  );
  return (
    <time dateTime={iso} title={absolute.format(date)} suppressHydrationWarning>
      {words}
    </time>
  );
}

function subscribeToMinutes(tell: () => void): () => void {
  const timer = setInterval(tell, 60_000);
  return () => clearInterval(timer);
}
