import type { MarkupAsked, PlacedColour } from './messages.ts';
import type { ReadFile, Style } from './read-file.ts';
import type { Known } from './services.ts';

/** More would be a list of colours rather than styles. */
const coloursMax = 1_000;

/** The colours that are written in a file's styles. */
export function findColours(known: Known, { path }: MarkupAsked['colours']): PlacedColour[] {
  const file = known.files.find(path);
  if (!file) return [];
  return file.styles.flatMap((style) => coloursIn(known, file, style)).slice(0, coloursMax);
}

function coloursIn({ styles }: Known, file: ReadFile, style: Style): PlacedColour[] {
  const { dialect, document, sheet } = style;
  return styles[dialect].findDocumentColors(document, sheet).map(({ color, range }) => ({
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    ...color,
  }));
}

/** Another colour in the words of the one that stands there: `hsl(…)` for `hsl(…)`, else `#…`. */
export function recolour(
  known: Known,
  { path, from, to, colour }: MarkupAsked['recolouring'],
): string | null {
  const file = known.files.find(path);
  const style = file?.styleAt(from);
  if (!file || !style) return null;
  const { dialect, document, sheet } = style;
  const range = { start: document.positionAt(from), end: document.positionAt(to) };
  const offers = known.styles[dialect].getColorPresentations(document, sheet, colour, range);
  const word = wordOf(file.text.slice(from, to));
  const labels = offers.map(({ label }) => label);
  return labels.find((label) => wordOf(label) === word) ?? labels.find(isHex) ?? null;
}

/** "rgba(0, 0, 0, 0.5)" → "rgb": the two are one by now. */
function wordOf(colour: string): string {
  return /^([a-z]+?)a?\(/i.exec(colour)?.[1]?.toLowerCase() ?? '#';
}

function isHex(label: string): boolean {
  return label.startsWith('#');
}
