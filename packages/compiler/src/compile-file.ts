/**
 * Compiles one file of a project, in any supported language. Compilers are chosen by file extension
 * and loaded with the first file that needs them. To add a language, add its extension to
 * `file-kinds.ts` and its compiler here. The result is the same in the app's worker and on the
 * server, which pass in the parts that they load differently.
 */
import { unchangedFile, type CompiledFile, type CompiledText } from './compiled-file.ts';
import { compileModule, needsTransform } from './compile-module.ts';
import { compilePage } from './page/compile-page.ts';
import { compileStyle } from './style/compile-style.ts';
import { usesGlobImports } from './script/glob-imports.ts';
import { hasDecorators } from './script/decorators.ts';
import { findCompiledExtension, type CompiledExtension } from './file-kinds.ts';
import type { CompileDiagnostic } from './script/check-script.ts';
import type {
  ScriptSettings,
  TransformScript,
  TransformedScript,
} from './script/transform-script.ts';
import { isOlder } from './framework-versions.ts';
import { isRunesPath, looksLikeJsx } from './needs-compiling.ts';
import { compileRunes } from './svelte/compile-runes.ts';
import { compileSvelte } from './svelte/compile-svelte.ts';
import { compileVue } from './vue/compile-vue.ts';
import type {
  ModuleContext,
  ModuleSource,
  ProjectTexts,
  CompilerLoaders,
  LanguageContext,
} from './compile-context.ts';

type CompileText = (source: ModuleSource, context: LanguageContext) => Promise<CompiledText>;

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
  pcss: compileStyle,
  postcss: compileStyle,
  scss: compileStyle,
  sass: compileStyle,
  less: compileStyle,
  html: (source, context) => Promise.resolve(compilePage(source, context)),
  htm: (source, context) => Promise.resolve(compilePage(source, context)),
  md: async (source, context) =>
    (await import('./page/compile-markdown.ts')).compileMarkdown(source, context),
};

/** Compiles a file. Files without a compiler stay unchanged. Rejects if a compiler can't be loaded. */
export async function compileFile(
  source: ModuleSource,
  context: ModuleContext,
  texts: ProjectTexts,
  parts: CompilerLoaders,
): Promise<CompiledFile> {
  const reads = new Set<string>();
  const extension = findCompiledExtension(source.path);
  if (!extension) return { ...unchangedFile, reads: [] };
  const globs = usesGlobImports(source.text) ? await import('./script/match-globs.ts') : {};
  const compiled = await compilers[extension](source, {
    ...context,
    ...globs,
    ...parts,
    read(path) {
      if (path !== source.path) reads.add(path);
      return texts.get(path);
    },
    readAll() {
      reads.add(anyFilePath);
      return texts;
    },
  });
  return { ...compiled, reads: [...reads].sort() };
}

/**
 * Compiles a script synchronously. Returns undefined for other files, for scripts that need a
 * compiler to be loaded, and for TypeScript and JSX if `transform` is undefined.
 */
export function compileScriptSync(
  source: ModuleSource,
  context: ModuleContext,
  transform: TransformScript | undefined,
): CompiledFile | undefined {
  const extension = findCompiledExtension(source.path);
  if (!extension || !scriptExtensions.has(extension) || isRunesPath(source.path)) return undefined;
  if (usesGlobImports(source.text)) return undefined;
  const isTransformed = needsTransform(source);
  if (isTransformed && findOwnJsx(source.text, context.settings)) return undefined;
  if (isTransformed && !transform) return undefined;
  const script = isTransformed
    ? transform?.(source.path, source.text, context.settings)
    : undefined;
  if (hasDecorators(script?.code ?? source.text)) return undefined;
  return { ...compileModule(source, context, script), reads: [] };
}

/** Separate from `compilers`, so that a bundle of `compileScriptSync` contains no other compiler. */
const scriptExtensions: ReadonlySet<CompiledExtension> = new Set([
  'js',
  'mjs',
  'ts',
  'mts',
  'tsx',
  'jsx',
]);

/** Entry in `reads` that stands for every file of the project. */
export const anyFilePath = '*';

function compileRunesOrScript(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const hasRunes = isRunesPath(source.path) && !isOlder(context.versions.svelte, 5);
  return hasRunes ? compileRunes(source, context) : compileScript(source, context);
}

/** Loads the transform with the first script that needs it. */
type ScriptContext = ModuleContext & Pick<CompilerLoaders, 'loadTransform'>;

async function compileScript(source: ModuleSource, context: ScriptContext): Promise<CompiledText> {
  return compileModule(source, context, await transformScript(source, context));
}

/** Returns undefined if browsers can run the source. */
async function transformScript(
  source: ModuleSource,
  { loadTransform, settings }: ScriptContext,
): Promise<TransformedScript | undefined> {
  const typed = needsTransform(source)
    ? await removeTypesAndJsx(source, await loadTransform(), settings)
    : undefined;
  if (typed && typed.problems.length > 0) return typed;
  if (!hasDecorators(typed?.code ?? source.text)) return typed;
  const { compileDecorators } = await import('./script/compile-decorators.ts');
  return compileDecorators(source, typed);
}

async function removeTypesAndJsx(
  source: ModuleSource,
  transform: TransformScript,
  settings: ScriptSettings,
): Promise<TransformedScript> {
  const { path, text } = source;
  switch (findOwnJsx(text, settings)) {
    case 'solid-js': {
      const script = transform(path, text, { ...settings, jsxRuntime: 'preserve' });
      if (script.problems.length > 0 || !looksLikeJsx(script.code)) return script;
      const { compileSolid } = await import('./solid/compile-solid.ts');
      return compileSolid(source, script);
    }
    case 'inferno':
      return { code: '', map: undefined, problems: [createInfernoProblem(path)] };
    default:
      return transform(path, text, settings);
  }
}

/**
 * Finds the library of a script's JSX, if it has any, among those that oxc has no functions for. A
 * pragma in the file wins.
 */
function findOwnJsx(text: string, settings: ScriptSettings): 'solid-js' | 'inferno' | undefined {
  if (!looksLikeJsx(text)) return undefined;
  const [, name, value] = /@(jsx|jsxImportSource)\s+([^\s*]+)/.exec(text) ?? [];
  if (name === 'jsx') return undefined;
  const library = value ?? settings.jsxImportSource;
  return library === 'solid-js' || library === 'inferno' ? library : undefined;
}

/** Inferno's JSX is compiled by its own Babel plugin. Its `createElement` does without. */
function createInfernoProblem(path: string): CompileDiagnostic {
  const text = `/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */
import { Fragment } from 'inferno';
import { createElement } from 'inferno-create-element';
`;
  return {
    message:
      'Inferno JSX isn’t supported. Use createElement from “inferno-create-element” instead.',
    line: 1,
    column: 1,
    fixes: [
      {
        label: 'Use createElement',
        edit: { type: 'replace', path, line: 1, column: 1, before: '', text },
      },
    ],
  };
}
