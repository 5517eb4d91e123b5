/**
 * Parses a duration in Go's notation, as in `ban_duration`: '1h30m' → 5400. Undefined when invalid.
 */
export function parseDurationS(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  const units = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    seconds += Number(number) * units[unit as keyof typeof units];
  }
  return seconds;
}
