/**
 * Inline snapshots put into the text of a test file: only the texts in the calls that were found
 * change, whatever is asked for.
 *
 *     expect(a).toMatchInlineSnapshot()      → expect(a).toMatchInlineSnapshot(`"text"`)
 *     expect(a).toMatchInlineSnapshot(`1`)   → expect(a).toMatchInlineSnapshot(`2`)
 *     expect(a).toMatchInlineSnapshot({ id: expect.any(Number) }, `…`)   likewise
 */
export interface InlineSnapshot {
  /** Of the call, in the text; both count from 1. */
  line: number;
  column: number;
  text: string;
}

export function writeInlineSnapshots(text: string, snapshots: readonly InlineSnapshot[]): string {
  const edits = snapshots
    .flatMap((snapshot) => findEdit(text, snapshot) ?? [])
    .sort((a, b) => b.start - a.start);
  let written = text;
  for (const { start, end, by } of edits)
    written = written.slice(0, start) + by + written.slice(end);
  return written;
}

interface SnapshotEdit {
  start: number;
  end: number;
  by: string;
}

const call = /(?:toMatchInlineSnapshot|toThrowErrorMatchingInlineSnapshot)\s*\(/g;

function findEdit(text: string, { line, column, text: snapshot }: InlineSnapshot) {
  const lineStart = startOfLine(text, line);
  // Firefox names the end of the method, Chromium its start, both on its line.
  const from = Math.max(lineStart, lineStart + column - 1 - longestName);
  call.lastIndex = from;
  const found = call.exec(text);
  if (!found || found.index - from > furthest) return undefined;
  const open = call.lastIndex;
  const args = findArguments(text, open);
  return args && editOf(text, args, quote(snapshot, indentOf(text, lineStart)));
}

/** A map leads to the call or to what it stands in, seldom far before it. */
const furthest = 2_000;
const longestName = 'toThrowErrorMatchingInlineSnapshot'.length;

interface Arguments {
  /** Behind the opening bracket, and before the closing one. */
  start: number;
  end: number;
  /** Where each argument begins and ends, white space left out. */
  list: { start: number; end: number }[];
}

/** The snapshot is the last argument, if it is a text; what stands before it, properties, stays. */
function editOf(text: string, { start, end, list }: Arguments, by: string): SnapshotEdit {
  const last = list.at(-1);
  if (!last) return { start, end, by };
  const isText = /^["'`]/.test(text.slice(last.start, last.end));
  return isText
    ? { start: last.start, end: last.end, by }
    : { start: last.end, end, by: `, ${by}` };
}

/** Undefined where the call does not end. */
function findArguments(text: string, start: number): Arguments | undefined {
  const list: Arguments['list'] = [];
  let depth = 0;
  let begun = -1;
  let last = start;
  const close = () => {
    if (begun !== -1) list.push({ start: begun, end: last });
    begun = -1;
  };
  for (let at = start; at < text.length;) {
    const character = text[at] ?? '';
    if (depth === 0 && character === ')') {
      close();
      return { start, end: at, list };
    }
    const next = skipOne(text, at);
    if (depth === 0 && character === ',') close();
    else if (!/\s/.test(character) && !isComment(text, at)) {
      if (begun === -1) begun = at;
      last = next;
    }
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    at = next;
  }
  return undefined;
}

/** Past a text, a comment, or one character. */
function skipOne(text: string, at: number): number {
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

/** Several lines begin on a line of their own, two spaces further in than the call. */
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
