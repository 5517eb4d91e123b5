import type { ConsoleLogEntry } from '../../src/host/index.ts';

/** Texts of log entries without the contents of objects: `['asked for {…}']` */
export function textsOf(lines: readonly ConsoleLogEntry[]): string[] {
  return lines.map(({ values }) => values.map(textOf).join(' '));
}

function textOf(value: ConsoleLogEntry['values'][number]): string {
  if (value.type === 'error') return `${value.name}: ${value.message}`;
  if ('text' in value) return value.text;
  return 'name' in value ? `${value.name}{…}` : value.type;
}
