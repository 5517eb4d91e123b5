import type { ConsoleLogEntry, ConsoleMember, ConsoleValue } from '@vitrine/sandbox/host';

/** Formats the log as plain text, for the clipboard. */
export function formatLog(lines: readonly ConsoleLogEntry[]): string {
  let depth = 0;
  return lines
    .map((line) => {
      if (line.method === 'groupEnd') depth = Math.max(0, depth - 1);
      const text = '  '.repeat(depth) + formatEntry(line);
      if (line.method.startsWith('group') && line.method !== 'groupEnd') depth += 1;
      return text;
    })
    .filter((text) => text.trim() !== '')
    .join('\n');
}

/** Formatted text by entry. Collected with the entries. */
const texts = new WeakMap<ConsoleLogEntry, string>();

export function formatEntry(line: ConsoleLogEntry): string {
  const known = texts.get(line);
  if (known !== undefined) return known;
  const text = line.values
    .map((value) => (value.type === 'string' ? value.text : formatValue(value)))
    .join(' ');
  texts.set(line, text);
  return text;
}

/** Formats a value roughly as its source code, as far as its members were sent. */
export function formatValue(value: ConsoleValue): string {
  switch (value.type) {
    case 'string':
      return JSON.stringify(value.text);
    case 'getter':
      return '(…)';
    case 'undefined':
    case 'null':
      return value.type;
    case 'empty':
      return '(empty)';
    case 'repeated':
      return '(circular)';
    case 'unreadable':
      return '(unreadable)';
    case 'error':
      return [
        value.stack.includes(value.message) ? '' : `${value.name}: ${value.message}`,
        value.stack,
      ]
        .filter((part) => part !== '')
        .join('\n');
    case 'array':
    case 'set':
      return `${listName(value.name, 'Array')}[${textOfMembers(value, ({ value: item }) => formatValue(item))}]`;
    case 'map':
    case 'object':
      return `${listName(value.name, 'Object')}{ ${textOfMembers(value, textOfMember)} }`;
    case 'function':
      return `ƒ ${value.name}`;
    case 'class':
    case 'element':
      return value.name;
    default:
      return value.text;
  }
}

function listName(name: string, usual: string): string {
  return name === usual || name === '' ? '' : `${name} `;
}

function textOfMembers(
  { members, size }: { members: readonly ConsoleMember[]; size: number },
  write: (member: ConsoleMember) => string,
): string {
  const own = members.filter(({ name }) => name !== '[[Prototype]]');
  return [...own.map(write), ...(own.length < size ? ['…'] : [])].join(', ');
}

function textOfMember({ name, key, value }: ConsoleMember): string {
  return key ? `${formatValue(key)} => ${formatValue(value)}` : `${name}: ${formatValue(value)}`;
}
