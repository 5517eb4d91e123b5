const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** A size in units of 1,024, as limits are, with three digits: "700 B", "1.21 KB", "340 MB", "1 GB". */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 1,023.6 KB would be rounded to 1,024.
  while (Math.round(value) >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}
