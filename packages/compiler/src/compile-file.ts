/**
 * One file of a project in the form in which it runs, whatever it is written in. A language is a
 * compiler by extension, loaded with the first file that needs it; adding one means an extension in
 * `file-kinds.ts` and its compiler here. It works the same in the app's worker and on the server,
 * which give it the parts that each loads in its own way.
 */
import { unchanged, type CompiledFile, type CompiledText } from './compiled-file.ts';
import {
  compileModule,
  needsTransform,
  type ModuleContext,
  type ModuleSource,
} from './compile-module.ts';
import { compilePage } from './compile-page.ts';
import { compileScript } from './compile-script.ts';
import { compileStyle } from './style/compile-style.ts';
import { holdsDecorators } from './decorators.ts';
import { findCompiledExtension, type CompiledExtension } from './file-kinds.ts';
import type { TransformScript } from './transform-script.ts';
import { isRunesPath } from './needs-compiling.ts';
import { compileRunes } from './svelte/compile-runes.ts';
import { compileSvelte } from './svelte/compile-svelte.ts';
import { compileVue } from './vue/compile-vue.ts';

/** The texts of the project that a file belongs to. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** The stylesheets of Tailwind itself, by the names that they are imported by: `tailwindcss/theme`. */
export type TailwindSheets = ReadonlyMap<string, string>;

/** What is loaded in another way in a browser than on the server. */
export interface CompilerParts {
  loadTransform(): Promise<TransformScript>;
  loadTailwindSheets(): Promise<TailwindSheets>;
}

/** What the compiler of a language works with. */
export interface LanguageContext extends ModuleContext, CompilerParts {
  /** The text of another file, which is then among those that the result was made with. */
  read(path: string): string | undefined;
  /** Every file of the project; whoever asks is compiled again with any change. */
  readAll(): ProjectTexts;
}

export type CompileText = (source: ModuleSource, context: LanguageContext) => Promise<CompiledText>;

const compilers: Readonly<Record<CompiledExtension, CompileText>> = {
  js: compileRunesOrScript,
  mjs: compileScript,
  ts: compileRunesOrScript,
  mts: compileScript,
  tsx: compileScript,
  jsx: compileScript,
  vue: compileVue,
  svelte: compileSvelte,
  css: compileStyle,
  scss: compileStyle,
  sass: compileStyle,
  less: compileStyle,
  html: (source, context) => Promise.resolve(compilePage(source, context)),
  htm: (source, context) => Promise.resolve(compilePage(source, context)),
  md: async (source, context) =>
    (await import('./compile-markdown.ts')).compileMarkdown(source, context),
};

/** Files without a compiler are themselves. Throws where a part of a compiler cannot be loaded. */
export async function compileFile(
  source: ModuleSource,
  context: ModuleContext,
  texts: ProjectTexts,
  parts: CompilerParts,
): Promise<CompiledFile> {
  const reads = new Set<string>();
  const extension = findCompiledExtension(source.path);
  if (!extension) return { ...unchanged, reads: [] };
  const compiled = await compilers[extension](source, {
    ...context,
    ...parts,
    read(path) {
      if (path !== source.path) reads.add(path);
      return texts.get(path);
    },
    readAll() {
      reads.add(anyFile);
      return texts;
    },
  });
  return { ...compiled, reads: [...reads].sort() };
}

/**
 * The same for a script at once, where no more is needed than is there; undefined for every other
 * file, and without `transform` for TypeScript and JSX.
 */
export function compileScriptAtOnce(
  source: ModuleSource,
  context: ModuleContext,
  transform: TransformScript | undefined,
): CompiledFile | undefined {
  const extension = findCompiledExtension(source.path);
  if (!extension || !scriptExtensions.has(extension) || isRunesPath(source.path)) return undefined;
  const isTransformed = needsTransform(source);
  if (isTransformed && !transform) return undefined;
  const script = isTransformed
    ? transform?.(source.path, source.text, context.settings)
    : undefined;
  if (holdsDecorators(script?.code ?? source.text)) return undefined;
  return { ...compileModule(source, context, script), reads: [] };
}

/** Apart from `compilers`, so that a page that takes scripts along has no other language's compiler. */
const scriptExtensions: ReadonlySet<CompiledExtension> = new Set([
  'js',
  'mjs',
  'ts',
  'mts',
  'tsx',
  'jsx',
]);

/** Stands in `reads` for every file of the project. */
export const anyFile = '*';

function compileRunesOrScript(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  return isRunesPath(source.path) ? compileRunes(source, context) : compileScript(source, context);
}
