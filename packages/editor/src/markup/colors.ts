import type { MarkupParams, ColorInformation } from './messages.ts';
import type { MarkupFile, ParsedStyle } from './markup-file.ts';
import type { MarkupContext } from './services.ts';

/** Colors sent per file at most. */
const maxColors = 1_000;

/** Finds the colors in a file's styles. */
export function findColors(
  context: MarkupContext,
  { path }: MarkupParams['documentColor'],
): ColorInformation[] {
  const file = context.files.find(path);
  if (!file) return [];
  return file.styles.flatMap((style) => findStyleColors(context, file, style)).slice(0, maxColors);
}

function findStyleColors(
  { styleServices }: MarkupContext,
  file: MarkupFile,
  style: ParsedStyle,
): ColorInformation[] {
  const { dialect, document, sheet } = style;
  return styleServices[dialect].findDocumentColors(document, sheet).map(({ color, range }) => ({
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    ...color,
  }));
}

/** Writes a color in the notation of the one at the range, such as `hsl(…)`, or as `#…`. */
export function formatColorLike(
  context: MarkupContext,
  { path, from, to, color }: MarkupParams['colorPresentation'],
): string | null {
  const file = context.files.find(path);
  const style = file?.findStyleAt(from);
  if (!file || !style) return null;
  const { dialect, document, sheet } = style;
  const range = { start: document.positionAt(from), end: document.positionAt(to) };
  const presentations = context.styleServices[dialect].getColorPresentations(
    document,
    sheet,
    color,
    range,
  );
  const notation = notationOf(file.text.slice(from, to));
  const labels = presentations.map(({ label }) => label);
  return labels.find((label) => notationOf(label) === notation) ?? labels.find(isHex) ?? null;
}

/** The notation of a color: "rgba(0, 0, 0, 0.5)" → "rgb", which has replaced `rgba`. */
function notationOf(color: string): string {
  return /^([a-z]+?)a?\(/i.exec(color)?.[1]?.toLowerCase() ?? '#';
}

function isHex(label: string): boolean {
  return label.startsWith('#');
}
