/**
 * Inserts a script that runs before everything else in a document, without building a tree. The
 * server does this for each page it serves, the service worker for each page that has been edited.
 *
 * The script goes where the parser would create the head (HTML standard, 13.2.6.4.1–4): after the
 * doctype, leading white space, comments and the `<html>` and `<head>` tags, if present. So the
 * doctype stays first and with it the quirks mode, the tree is the same except for the script, and
 * lines don't move. Text after it on the same line moves right; `data-shift` says by how much.
 */
export interface RuntimeScript {
  /** URL of the script. */
  src: string;
  /** Values of `data-…` attributes, which the script reads from `document.currentScript`. */
  data?: Readonly<Record<string, string | number>>;
}

/**
 * `<!doctype html><p>Hi` → `<!doctype html><script src=… data-shift="1:15:…"></script><p>Hi`.
 * `data-shift` is LINE:COLUMN:LENGTH of the inserted tag; line and column are 1-based.
 */
export function instrumentHtml(html: string, runtime: RuntimeScript): string {
  const at = findHeadStart(html);
  const script = createScriptTag(runtime, getPosition(html, Math.min(at, html.length)));
  return html.slice(0, at) + getMissingEnd(html, at) + script + html.slice(at);
}

/** Returns the missing end of an unclosed comment or doctype, which would contain the script. */
function getMissingEnd(html: string, at: number): string {
  return at > html.length ? '-->'.slice(html.length - at) : '';
}

function createScriptTag(
  runtime: RuntimeScript,
  position: { line: number; column: number },
): string {
  const data = Object.entries(runtime.data ?? {}).map(
    ([name, value]) => ` data-${name}="${escapeAttribute(String(value))}"`,
  );
  const open = `<script src="${escapeAttribute(runtime.src)}"${data.join('')} data-shift="${position.line}:${position.column}:`;
  const close = `"></script>`;
  // The length includes its own digits: four, or more with long data attributes.
  const rest = open.length + close.length;
  const digits = Math.max(4, String(rest + 9).length);
  return open + String(rest + digits).padStart(digits, '0') + close;
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Returns the 1-based line and column of an index in a text. */
export function getPosition(text: string, index: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: index - start + 1 };
}

/**
 * Finds the index where the content of the head starts or would start. It is beyond the end of the
 * document by the number of characters that an unclosed comment or doctype lacks.
 */
export function findHeadStart(html: string): number {
  let at = skipAll(html, html.startsWith('\uFEFF') ? 1 : 0, [skipComment]);
  if (isDoctype(html, at)) at = skipBogus(html, at);
  at = skipAll(html, at, ignored);
  return skipTag(html, at, 'head') ?? at;
}

type Skip = (html: string, at: number) => number;

/** Skips white space and everything one of the functions skips. None of it creates a node in the head. */
function skipAll(html: string, from: number, skips: readonly Skip[]): number {
  let at = skipWhile(html, from, isSpace);
  for (;;) {
    const skip = skips.find((candidate) => candidate(html, at) !== at);
    if (!skip) return at;
    at = skipWhile(html, skip(html, at), isSpace);
  }
}

/** Skips tokens that the parser ignores between doctype and head, except for attributes of `<html>`. */
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

/** Skips a comment at `at`, in any form that the parser treats as one. */
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

/** Skips a comment. `<!-->` and `<!--->` are complete, and `--!>` closes a comment like `-->`. */
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

/** Skips the start tag `name` if there is a complete one at `at`. */
function skipTag(html: string, at: number, name: string): number | undefined {
  const head = html.slice(at, at + name.length + 2).toLowerCase();
  if (!head.startsWith(`<${name}`)) return undefined;
  const after = head[name.length + 1];
  if (after === undefined || !(isSpace(after) || after === '/' || after === '>')) return undefined;
  return skipAttributes(html, at + name.length + 1);
}

/** Skips to after the tag's closing `>`, ignoring quoted ones. Undefined if the tag isn't closed. */
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
