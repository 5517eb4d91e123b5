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
  let masked = '';
  let at = 0;
  for (let from = text.indexOf(open); from !== -1; from = text.indexOf(open, at)) {
    const to = endOfBraces(text, from);
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

/** Behind the brace that closes the one here; at the end of the line for one that is still open. */
export function endOfBraces(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    else if (/["'`]/.test(char)) at = endOfString(text, at);
    if (depth === 0) return at + 1;
  }
  const line = text.indexOf('\n', from);
  return line === -1 ? text.length : line;
}

/** The quote that closes this one; without one on its line, this one. */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
    else if (text[at] === '\n' && quote !== '`') return from;
  }
  return from;
}
