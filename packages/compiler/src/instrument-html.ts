/**
 * Puts a script in front of everything a document runs, without building a tree: the server does it
 * for each page it answers, the service worker for each page that has been edited.
 *
 * The script goes where the parser would make the head (HTML standard, 13.2.6.4.1–4): after the
 * doctype, leading white space, comments and the `<html>` and `<head>` tags, whichever of them are
 * there. So the doctype stays first (quirks mode as it was), the tree is the same except for the
 * script, and no line moves. What follows on the same line moves right, which `data-shift` says.
 */
export interface Runtime {
  /** Address of the script. */
  src: string;
  /** Becomes `data-…` attributes, for the script to read from `document.currentScript`. */
  data?: Readonly<Record<string, string | number>>;
}

/**
 * `<!doctype html><p>Hi` → `<!doctype html><script src=… data-shift="1:15:…"></script><p>Hi`.
 * `data-shift` is LINE:COLUMN:LENGTH of what was put in, both counted from 1.
 */
export function instrumentHtml(html: string, runtime: Runtime): string {
  const at = findHeadStart(html);
  const script = scriptTag(runtime, positionAt(html, Math.min(at, html.length)));
  return html.slice(0, at) + missingEnd(html, at) + script + html.slice(at);
}

/** What ends a comment or doctype that the document leaves open, and would swallow the script. */
function missingEnd(html: string, at: number): string {
  return at > html.length ? '-->'.slice(html.length - at) : '';
}

function scriptTag(runtime: Runtime, position: { line: number; column: number }): string {
  const data = Object.entries(runtime.data ?? {}).map(
    ([name, value]) => ` data-${name}="${escapeAttribute(String(value))}"`,
  );
  const open = `<script src="${escapeAttribute(runtime.src)}"${data.join('')} data-shift="${position.line}:${position.column}:`;
  const close = `"></script>`;
  // The length holds its own digits: four, unless files come along.
  const rest = open.length + close.length;
  const digits = Math.max(4, String(rest + 9).length);
  return open + String(rest + digits).padStart(digits, '0') + close;
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Line and column, counted from 1, of an index in a text. */
export function positionAt(text: string, index: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: index - start + 1 };
}

/**
 * The index at which the contents of the head begin, or would; past the end by as many characters
 * as the end of an open comment or doctype lacks.
 */
export function findHeadStart(html: string): number {
  let at = skipAll(html, html.startsWith('\uFEFF') ? 1 : 0, [skipComment]);
  if (isDoctype(html, at)) at = skipBogus(html, at);
  at = skipAll(html, at, ignored);
  return skipTag(html, at, 'head') ?? at;
}

type Skip = (html: string, at: number) => number;

/** Past white space and whatever one of these skips; nothing of it makes a node below the head. */
function skipAll(html: string, from: number, skips: readonly Skip[]): number {
  let at = skipWhile(html, from, isSpace);
  for (;;) {
    const skip = skips.find((candidate) => candidate(html, at) !== at);
    if (!skip) return at;
    at = skipWhile(html, skip(html, at), isSpace);
  }
}

/** What may stand between the doctype and the head; of several `<html>` only attributes count. */
const ignored: readonly Skip[] = [
  skipComment,
  skipLateDoctype,
  skipStrayEndTag,
  (html, at) => skipTag(html, at, 'html') ?? at,
];

function isDoctype(html: string, at: number): boolean {
  return /^<!doctype/i.test(html.slice(at, at + 9));
}

function skipLateDoctype(html: string, at: number): number {
  return isDoctype(html, at) ? skipBogus(html, at) : at;
}

function skipStrayEndTag(html: string, at: number): number {
  const name = /^<\/([a-z][^\s/>]*)/i.exec(html.slice(at, at + 20))?.[1]?.toLowerCase();
  if (name === undefined || ['head', 'body', 'html', 'br'].includes(name)) return at;
  return skipAttributes(html, at + 2 + name.length) ?? at;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && '\t\n\f\r '.includes(character);
}

/** Past a comment that begins at `at`, in any of the forms the parser takes for one. */
function skipComment(html: string, at: number): number {
  if (html.startsWith('<!--', at)) return skipProperComment(html, at + 4);
  if (html.startsWith('<?', at)) return skipBogus(html, at);
  if (html.startsWith('<!', at) && !isDoctype(html, at)) return skipBogus(html, at);
  if (
    html.startsWith('</', at) &&
    !/^<\/[a-z]/i.test(html.slice(at, at + 3)) &&
    at + 2 < html.length
  )
    return skipBogus(html, at);
  return at;
}

/** `<!-->` and `<!--->` are whole comments; `--!>` closes one as `-->` does. */
function skipProperComment(html: string, from: number): number {
  const short = /^-?>/.exec(html.slice(from, from + 2));
  if (short) return from + short[0].length;
  const end = /--!?>/g;
  end.lastIndex = from;
  const found = end.exec(html);
  return found ? found.index + found[0].length : html.length + 3;
}

function skipBogus(html: string, at: number): number {
  const end = html.indexOf('>', at);
  return end === -1 ? html.length + 1 : end + 1;
}

/** Past the start tag `name` if it begins at `at` and is complete. */
function skipTag(html: string, at: number, name: string): number | undefined {
  const head = html.slice(at, at + name.length + 2).toLowerCase();
  if (!head.startsWith(`<${name}`)) return undefined;
  const after = head[name.length + 1];
  if (after === undefined || !(isSpace(after) || after === '/' || after === '>')) return undefined;
  return skipAttributes(html, at + name.length + 1);
}

/** Past the `>` that ends a tag; a `>` inside a quoted value does not. Undefined if it never ends. */
function skipAttributes(html: string, from: number): number | undefined {
  let at = from;
  while (at < html.length) {
    at = skipWhile(html, at, (character) => isSpace(character) || character === '/');
    if (html[at] === '>') return at + 1;
    at = skipWhile(html, at + 1, (character) => !isSpace(character) && !'/>='.includes(character));
    at = skipWhile(html, at, isSpace);
    if (html[at] === '=') at = skipValue(html, skipWhile(html, at + 1, isSpace));
  }
  return undefined;
}

function skipValue(html: string, at: number): number {
  const quote = html[at];
  if (quote !== '"' && quote !== "'")
    return skipWhile(html, at, (character) => !isSpace(character) && character !== '>');
  const end = html.indexOf(quote, at + 1);
  return end === -1 ? html.length : end + 1;
}

function skipWhile(html: string, from: number, holds: (character: string) => boolean): number {
  let at = from;
  for (let character = html[at]; character !== undefined && holds(character); character = html[at])
    at += 1;
  return at;
}
