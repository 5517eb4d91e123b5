/**
 * Replaces everything but line breaks with spaces, so that offsets stay the same: "a\
 * b" → " \
 *  ".
 */
export function blankText(text: string): string {
  return text.replace(/[^\n\r]/g, ' ');
}

const scriptOrStyle = /(<(script|style)\b[^>]*>)([\s\S]*?)(?=<\/\2\s*>|$)/gi;

/**
 * Makes a component's markup readable as HTML. Expressions in braces are masked, so that `a => b`
 * ends no tag: `<a on={() => b}>` → `<a on="_______">`. The length stays the same.
 */
export function maskExpressions(text: string, isVue: boolean): string {
  let masked = '';
  let at = 0;
  for (const found of text.matchAll(scriptOrStyle)) {
    masked += maskBraces(text.slice(at, found.index), isVue) + found[0];
    at = found.index + found[0].length;
  }
  return masked + maskBraces(text.slice(at), isVue);
}

function maskBraces(text: string, isVue: boolean): string {
  const open = isVue ? '{{' : '{';
  const ends = findBraceEnds(text);
  let masked = '';
  let at = 0;
  for (let from = text.indexOf(open); from !== -1; from = text.indexOf(open, at)) {
    const to = ends.get(from) ?? endOfLine(text, from);
    masked += text.slice(at, from) + fillBraces(text.slice(from, to), text[from - 1] === '=');
    at = to;
  }
  return masked + text.slice(at);
}

/** Masks an expression: as a quoted string for an attribute's value, otherwise as one word. */
function fillBraces(braces: string, isValue: boolean): string {
  if (braces.length < 2) return braces;
  const inner = braces.slice(1, -1).replace(/[^\n\r]/g, '_');
  return isValue ? `"${inner}"` : `_${inner}_`;
}

/**
 * The end offset of each closed brace, by its start offset. Braces in strings inside of braces are
 * ignored.
 */
export function findBraceEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '{') open.push(at);
    else if (char === '}') {
      const from = open.pop();
      if (from !== undefined) ends.set(from, at + 1);
    } else if (open.length > 0 && /["'`]/.test(char)) at = endOfString(text, at);
  }
  return ends;
}

/** Longest string, in UTF-16 units. A longer one is assumed to be unclosed. */
const maxStringLength = 2_000;

/**
 * The offset of the closing quote. If the string is not closed, or not in its line, the offset of
 * the opening quote.
 */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  const limit = Math.min(text.length, from + maxStringLength);
  for (let at = from + 1; at < limit; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
    else if (text[at] === '\n' && quote !== '`') return from;
  }
  return from;
}

function endOfLine(text: string, from: number): number {
  const line = text.indexOf('\n', from);
  return line === -1 ? text.length : line;
}
