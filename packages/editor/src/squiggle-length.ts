/** Quotes around names and paths. */
const quotes = `'"\``;
/** Characters around the offset that are looked at: a line may be as long as its file. */
const searchRadius = 1_000;
const word = /[\p{ID_Continue}$]+|\.{0,2}\/[^\s"'`]+|[^]/uy;

/**
 * Length of the squiggle for a diagnostic that has a start offset in a line, but no end: the quoted
 * name or path, or the content of `url()`, that starts there, otherwise the word or character. 0 at
 * the end of the line.
 */
export function squiggleLength(line: string, from: number): number {
  const start = Math.max(0, from - searchRadius);
  const [nearbyText, at] = [line.slice(start, from + searchRadius), from - start];
  const quoted = quotedEnd(nearbyText, at);
  if (quoted !== undefined) return quoted - at;
  word.lastIndex = at;
  return word.exec(nearbyText)?.[0].length ?? 0;
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

/** True if the quote before this offset opens a string rather than closing it. */
function isOpen(line: string, from: number, quote: string): boolean {
  return line.slice(0, from).split(quote).length % 2 === 0;
}
