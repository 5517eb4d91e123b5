/** "a\nb" → " \n ": as long, with its lines, and with nothing in it. */
export function blank(text: string): string {
  return text.replace(/[^\n\r]/g, ' ');
}

const scriptOrStyle = /(<(script|style)\b[^>]*>)([\s\S]*?)(?=<\/\2\s*>|$)/gi;

/**
 * A component's markup as HTML reads it: what stands in braces is filled up, so that `a => b` ends no
 * tag: `<a on={() => b}>` → `<a on="_______">`. As long as before.
 */
export function maskComponent(text: string, isVue: boolean): string {
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

/** A value of an attribute gets quotes; anything else is one word. */
function fillBraces(braces: string, isValue: boolean): string {
  if (braces.length < 2) return braces;
  const inner = braces.slice(1, -1).replace(/[^\n\r]/g, '_');
  return isValue ? `"${inner}"` : `_${inner}_`;
}

/** Each brace that is closed → behind the one that closes it. Quotes within braces hide what they hold. */
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

/** What is longer is a quote whose end is not written yet. */
const longestString = 2_000;

/** The quote that closes this one; without one, or for the next line, this one. */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  const most = Math.min(text.length, from + longestString);
  for (let at = from + 1; at < most; at += 1) {
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
