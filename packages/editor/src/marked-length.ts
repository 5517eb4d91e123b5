/** Quotes around names and addresses. */
const quotes = `'"\``;
/** A line may be as long as its file: so far from the place it is looked at. */
const nearby = 1_000;
const word = /[\p{ID_Continue}$]+|\.{0,2}\/[^\s"'`]+|[^]/uy;

/**
 * How far a mark goes that begins at this offset of a line and has no end of its own: over the
 * address or the name in quotes, or in `url()`, that begins there, else over a word or a sign.
 * 0 at the line's end.
 */
export function markedLength(line: string, from: number): number {
  const start = Math.max(0, from - nearby);
  const [near, at] = [line.slice(start, from + nearby), from - start];
  const quoted = quotedEnd(near, at);
  if (quoted !== undefined) return quoted - at;
  word.lastIndex = at;
  return word.exec(near)?.[0].length ?? 0;
}

function quotedEnd(line: string, from: number): number | undefined {
  const before = line[from - 1] ?? '';
  if (before === '(' && /\burl\($/.test(line.slice(Math.max(0, from - 5), from))) {
    const rest = /^[^\s"')]+(?=\))/.exec(line.slice(from));
    return rest ? from + rest[0].length : undefined;
  }
  if (before === '' || !quotes.includes(before) || !isOpen(line, from, before)) return undefined;
  const end = line.indexOf(before, from);
  return end > from ? end : undefined;
}

/** Whether the quote in front of this offset begins something, and does not end it. */
function isOpen(line: string, from: number, quote: string): boolean {
  return line.slice(0, from).split(quote).length % 2 === 0;
}
