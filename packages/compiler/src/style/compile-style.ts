/** Compiles stylesheets of all languages to CSS, and CSS modules also to modules for scripts. */
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { getExtension } from '@vitrine/project';
import { unchangedFile, type CompiledText } from '../compiled-file.ts';
import { composeMappings, createScriptMap } from '../component/mapped-code.ts';
import { replaceAliases, withoutAliases } from './style-aliases.ts';
import { isCssModule, usesTailwind } from '../needs-compiling.ts';
import { createPositionMapper } from '../source-map.ts';
import { StyleError, type CompiledStyle } from './style-error.ts';
import { findNodeModulesSpecifier, isPackageSpecifier } from '../find-module.ts';
import { resolvePath } from '../resolve-path.ts';
import { rewriteCss } from '../rewrite-css.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

export async function compileStyle(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  try {
    return await compile(source, context);
  } catch (error) {
    if (!(error instanceof StyleError)) throw error;
    const { path, ...problem } = error.problem;
    const isElsewhere = path !== undefined && path !== source.path;
    return {
      ...unchangedFile,
      code: failingCode(error),
      problems: [isElsewhere ? error.problem : problem],
    };
  }
}

async function compile(source: ModuleSource, context: LanguageContext): Promise<CompiledText> {
  const plain = await toCss(source, context);
  const problems = [...(plain.warnings ?? [])];
  if (!isCssModule(source.path))
    return { ...unchangedFile, ...createOutput(source, plain), problems };
  const { compileCssModule, createCssModuleCode } = await import('./css-modules.ts');
  const readCss = async (path: string) => {
    const text = context.read(path);
    return text === undefined ? undefined : (await toCss({ path, text }, context)).css;
  };
  try {
    const compiled = await compileCssModule(source.path, plain.css, readCss);
    const { code, mappings } = compiled.css;
    const map = plain.map
      ? { ...plain.map, mappings: encode(composeMappings(mappings, decode(plain.map.mappings))) }
      : createScriptMap(source.path, source.text, mappings);
    return { ...unchangedFile, code, map, problems, module: createCssModuleCode(compiled) };
  } catch (error) {
    throw error instanceof StyleError && plain.map ? mapToSource(error, source, plain) : error;
  }
}

async function toCss(source: ModuleSource, context: LanguageContext): Promise<CompiledStyle> {
  const text = replaceAliases(source.text, context);
  const compiled = await preprocess({ ...source, text }, withoutAliases(context));
  return { ...compiled, css: resolvePackageImports(source.path, compiled.css, context) };
}

async function preprocess(source: ModuleSource, context: LanguageContext): Promise<CompiledStyle> {
  switch (getExtension(source.path)) {
    case 'scss':
    case 'sass':
      return (await import('./sass.ts')).compileSass(source, context);
    case 'less':
      return (await import('./less.ts')).compileLess(source, context);
    default:
      return usesTailwind(source.text)
        ? (await import('./tailwind.ts')).compileTailwind(source, context)
        : { css: source.text, map: undefined };
  }
}

function createOutput({ text }: ModuleSource, { css, map }: CompiledStyle) {
  return css === text ? {} : { code: css, map };
}

/** Maps the position of an error in compiled CSS to the source file. */
function mapToSource(
  error: StyleError,
  { path }: ModuleSource,
  { map }: CompiledStyle,
): StyleError {
  if (error.problem.path !== path || !map) return error;
  const location = createPositionMapper(map.mappings)(error.problem);
  return new StyleError({ ...error.problem, ...(location ?? { line: 1, column: 1 }) });
}

/** Creates a comment with the error, for a stylesheet that doesn't compile and has no earlier output. */
function failingCode({ problem: { path, line, column, message } }: StyleError): string {
  return `/* ${`${path}:${line}:${column}: ${message}`.replaceAll('*/', '* /')} */\n`;
}

/** Resolves imported stylesheets of packages: "pico/css/pico.css" → the URL from the lockfile. */
export function resolvePackageImports(
  path: string,
  css: string,
  { exists, resolvePackage }: Pick<LanguageContext, 'exists' | 'resolvePackage'>,
): string {
  if (!css.includes('@import')) return css;
  return rewriteCss(css, {
    rewriteImport({ url, conditions }) {
      const specifier = findNodeModulesSpecifier(path, url) ?? url;
      const isPackage = url.endsWith('.css') && isPackageSpecifier(specifier);
      if (!isPackage || exists(resolvePath(path, url) ?? '')) return undefined;
      const found = resolvePackage(specifier, []);
      return found && `@import url("${found}?css")${conditions && ` ${conditions}`};`;
    },
  });
}
