const units = [
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
  { seconds: 1, name: 's' },
];

/** 5025 → "1 h 23 min 45 s" */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError('Not a duration');
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const unit of units) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    if (count > 0) parts.push(`${count} ${unit.name}`);
  }
  return parts.join(' ') || '0 s';
}
