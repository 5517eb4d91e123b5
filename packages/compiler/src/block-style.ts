/** A `<style>` of a component, in whatever language, as CSS. */
import type { SyntaxProblem } from './check-script.ts';
import type { LanguageContext } from './compile-file.ts';
import { encodePath } from './resolve-path.ts';
import { flattenCss } from './rewrite-css.ts';
import { compileStyle } from './style/compile-style.ts';
import { StyleMistake } from './style/style-mistake.ts';
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

export async function compileBlockStyle(
  { path, text, language, isModule }: BlockStyle,
  context: LanguageContext,
): Promise<CompiledBlockStyle> {
  // As a file beside the component: its ending says how it is read, its folder where imports lead.
  const source = { path: `${path}.${language}`, text };
  const { code = text, problems } = await compileStyle(source, context);
  const css = putImportsIn(source.path, code, context);
  if (!isModule || problems.length > 0) return { css, names: {}, problems };
  const { compileCssModule } = await import('./style/css-modules.ts');
  try {
    const made = await compileCssModule(path, css, (other) => readCss(other, context));
    return { css: made.css.code, names: made.names, problems };
  } catch (error) {
    if (!(error instanceof StyleMistake)) throw error;
    const { path: place, ...problem } = error.problem;
    return { css, names: {}, problems: [place === path ? problem : error.problem] };
  }
}

/** Imported styles in the place of the imports: what stands in a page by itself has no address. */
function putImportsIn(path: string, css: string, { exists, read }: LanguageContext): string {
  return flattenCss(
    path,
    (other) => (other === path ? css : read(other)),
    (other) => (exists(other) ? `/${encodePath(other)}` : undefined),
  );
}

/** Another file of the project as CSS, for names that are composed of its names. */
async function readCss(path: string, context: LanguageContext): Promise<string | undefined> {
  const text = context.read(path);
  if (text === undefined) return undefined;
  return (await compileStyle({ path, text }, context)).code ?? text;
}

/** The place in the file, of a place in a block of it that begins at `start`. */
export function shiftPlace(problem: SyntaxProblem, start: Position): SyntaxProblem {
  // Of another file, which the style imports.
  if (problem.path !== undefined) return problem;
  const column = problem.line === 1 ? problem.column + start.column - 1 : problem.column;
  return { ...problem, line: problem.line + start.line - 1, column };
}
