/** Compiles a `<style>` block of a single-file component to CSS. */
import type { CompileDiagnostic } from '../script/check-script.ts';
import { encodePath } from '../resolve-path.ts';
import { flattenCss } from '../rewrite-css.ts';
import { compileStyle } from '../style/compile-style.ts';
import { StyleError } from '../style/style-error.ts';
import type { Position } from '../source-map.ts';
import type { LanguageContext } from '../compile-context.ts';

interface BlockStyle {
  /** Path of the component, against which imports are resolved. */
  path: string;
  text: string;
  /** One of `blockStyleLanguages`, from the `lang` attribute. */
  language: string;
  /** Whether it is a CSS module. */
  isModule: boolean;
}

interface CompiledBlockStyle {
  css: string;
  /** Class names in the page by name in the source, for CSS modules. */
  names: Readonly<Record<string, string>>;
  /** Errors with positions in the text of the block. */
  problems: CompileDiagnostic[];
}

export const blockStyleLanguages = ['css', 'pcss', 'postcss', 'scss', 'sass', 'less'];

export async function compileBlockStyle(
  { path, text, language, isModule }: BlockStyle,
  context: LanguageContext,
): Promise<CompiledBlockStyle> {
  // Compiled as a file next to the component: its extension is the language, its folder resolves imports.
  const source = { path: `${path}.${language}`, text };
  const { code = text, problems } = await compileStyle(source, context);
  const css = inlineImports(source.path, code, context);
  if (!isModule || problems.length > 0) return { css, names: {}, problems };
  const { compileCssModule } = await import('../style/css-modules.ts');
  try {
    const compiled = await compileCssModule(path, css, (other) => readCss(other, context));
    return { css: compiled.css.code, names: compiled.names, problems };
  } catch (error) {
    if (!(error instanceof StyleError)) throw error;
    const { path: location, ...problem } = error.problem;
    return { css, names: {}, problems: [location === path ? problem : error.problem] };
  }
}

/** Inlines imported styles, since a style in a page has no URL to resolve imports against. */
function inlineImports(path: string, css: string, { exists, read }: LanguageContext): string {
  return flattenCss(
    path,
    (other) => (other === path ? css : read(other)),
    (other) => (exists(other) ? `/${encodePath(other)}` : undefined),
  );
}

/** Reads another file of the project as CSS, for `composes`. */
async function readCss(path: string, context: LanguageContext): Promise<string | undefined> {
  const text = context.read(path);
  if (text === undefined) return undefined;
  return (await compileStyle({ path, text }, context)).code ?? text;
}

/** Converts a position in a block that begins at `start` to a position in the file. */
export function shiftDiagnostic(problem: CompileDiagnostic, start: Position): CompileDiagnostic {
  // The error is in another file, which the style imports.
  if (problem.path !== undefined) return problem;
  const column = problem.line === 1 ? problem.column + start.column - 1 : problem.column;
  return { ...problem, line: problem.line + start.line - 1, column };
}
