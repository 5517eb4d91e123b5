/**
 * Writes inline snapshots into the text of a test file. Only the snapshot arguments of the given calls
 * change.
 *
 *     expect(a).toMatchInlineSnapshot()      → expect(a).toMatchInlineSnapshot(`"text"`)
 *     expect(a).toMatchInlineSnapshot(`1`)   → expect(a).toMatchInlineSnapshot(`2`)
 *     expect(a).toMatchInlineSnapshot({ id: expect.any(Number) }, `…`)   → only the last argument changes
 */
export interface InlineSnapshot {
  /** Position of the call; both count from 1. */
  line: number;
  column: number;
  text: string;
}

export function writeInlineSnapshots(text: string, snapshots: readonly InlineSnapshot[]): string {
  const edits = snapshots
    .flatMap((snapshot) => findEdit(text, snapshot) ?? [])
    .sort((a, b) => b.start - a.start);
  let written = text;
  for (const { start, end, replacement } of edits)
    written = written.slice(0, start) + replacement + written.slice(end);
  return written;
}

interface SnapshotEdit {
  start: number;
  end: number;
  replacement: string;
}

const call = /(?:toMatchInlineSnapshot|toThrowErrorMatchingInlineSnapshot)\s*\(/g;

function findEdit(text: string, { line, column, text: snapshot }: InlineSnapshot) {
  const lineStart = startOfLine(text, line);
  // Firefox reports the end of the method name, Chromium its start, both on its line.
  const from = Math.max(lineStart, lineStart + column - 1 - longestName);
  call.lastIndex = from;
  const found = call.exec(text);
  if (!found || found.index - from > maxDistance) return undefined;
  const open = call.lastIndex;
  const args = findArguments(text, open);
  return args && editOf(text, args, quote(snapshot, indentOf(text, lineStart)));
}

/** Farthest distance in characters between a mapped position and the call it belongs to. */
const maxDistance = 2_000;
const longestName = 'toThrowErrorMatchingInlineSnapshot'.length;

interface Arguments {
  /** Offsets after the opening and before the closing parenthesis. */
  start: number;
  end: number;
  /** Offsets of each argument without surrounding white space. */
  list: { start: number; end: number }[];
}

/** Replaces the last argument if it is a string; otherwise, as for property matchers, adds one. */
function editOf(text: string, { start, end, list }: Arguments, replacement: string): SnapshotEdit {
  const last = list.at(-1);
  if (!last) return { start, end, replacement };
  const isText = /^["'`]/.test(text.slice(last.start, last.end));
  return isText
    ? { start: last.start, end: last.end, replacement }
    : { start: last.end, end, replacement: `, ${replacement}` };
}

/** Undefined if the call is not closed. */
function findArguments(text: string, start: number): Arguments | undefined {
  const list: Arguments['list'] = [];
  let depth = 0;
  let argumentStart = -1;
  let last = start;
  const close = () => {
    if (argumentStart !== -1) list.push({ start: argumentStart, end: last });
    argumentStart = -1;
  };
  for (let at = start; at < text.length;) {
    const character = text[at] ?? '';
    if (depth === 0 && character === ')') {
      close();
      return { start, end: at, list };
    }
    const next = skipToken(text, at);
    if (depth === 0 && character === ',') close();
    else if (!/\s/.test(character) && !isComment(text, at)) {
      if (argumentStart === -1) argumentStart = at;
      last = next;
    }
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    at = next;
  }
  return undefined;
}

/** Offset after the string, comment or character at `at`. */
function skipToken(text: string, at: number): number {
  const character = text[at] ?? '';
  if (isComment(text, at)) {
    const end = text[at + 1] === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at) + 2;
    return end <= at ? text.length : end;
  }
  if (!'"\'`'.includes(character)) return at + 1;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === character) return end + 1;
  }
  return text.length;
}

function isComment(text: string, at: number): boolean {
  return text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*');
}

/** Formats a snapshot as a template literal; several lines are indented one level deeper than the call. */
function quote(snapshot: string, indent: string): string {
  const escaped = snapshot
    .trim()
    .replaceAll('\\', '\\\\')
    .replaceAll('`', '\\`')
    .replaceAll('${', '\\${');
  const lines = escaped.split('\n');
  if (lines.length === 1) return `\`${escaped}\``;
  const inner = indent.includes('\t') ? `${indent}\t` : `${indent}  `;
  return `\`\n${lines.map((line) => (line === '' ? '' : inner + line)).join('\n')}\n${indent}\``;
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf('\n', at);
    if (end === -1) return at;
    at = end + 1;
  }
  return at;
}

function indentOf(text: string, lineStart: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart, lineStart + 200))?.[0] ?? '';
}
