/** A `<style>` of a component, in whatever language, as CSS. */
import type { SyntaxProblem } from './check-script.ts';
import type { LanguageContext } from './compile-file.ts';
import { encodePath } from './resolve-path.ts';
import { flattenCss } from './rewrite-css.ts';
import type { Position } from './source-map.ts';

export interface BlockStyle {
  /** Of the file that it stands in: what it imports is found from there. */
  path: string;
  text: string;
  /** `css`, `scss`, `sass` or `less`, as `lang` says. */
  language: string;
  /** Whether its names become its own. */
  isModule: boolean;
}

export interface CompiledBlockStyle {
  css: string;
  /** Of a module: the name in the source → the names in the page. */
  names: Readonly<Record<string, string>>;
  /** Places in the style's own text. */
  problems: SyntaxProblem[];
}

export const blockStyleLanguages = ['css', 'scss', 'sass', 'less'];

/** The place in the file, of a place in a block of it that begins at `start`. */
export function shiftPlace<Place extends Position>(place: Place, start: Position): Place {
  const column = place.line === 1 ? place.column + start.column - 1 : place.column;
  return { ...place, line: place.line + start.line - 1, column };
}

/** Styles that it imports are put in the place of the imports, since a component has no address for them. */
export async function compileBlockStyle(
  { path, text }: BlockStyle,
  { exists, read }: LanguageContext,
): Promise<CompiledBlockStyle> {
  const css = flattenCss(
    path,
    (other) => (other === path ? text : read(other)),
    (other) => (exists(other) ? `/${encodePath(other)}` : undefined),
  );
  return { css, names: {}, problems: [] };
}
