/** Compiles Sass in both syntaxes. Reads only files of the project and adds no functions. */
import './function-constructor.ts';
import { compileString, Exception, type Importer, type Syntax } from 'sass';
import { getExtension } from '@vitrine/project';
import { encodePath } from '../resolve-path.ts';
import type { SourceMap } from '../script/transform-script.ts';
import { relocateUrls, getRelativePath } from './relative-path.ts';
import { StyleError, type CompiledStyle } from './style-error.ts';
import { translateStyleMessage } from './style-messages.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

/** Compiles a Sass stylesheet. Throws `StyleError`. */
export function compileSass({ path, text }: ModuleSource, context: LanguageContext): CompiledStyle {
  try {
    const { css, sourceMap } = compileString(text, {
      url: new URL(root + encodePath(path)),
      importer: createImporter(path, context),
      syntax: syntaxOf(path),
      charset: false,
      sourceMap: true,
      sourceMapIncludeSources: true,
      logger: { warn() {}, debug() {} },
    });
    return { css, map: sourceMap && createMap(path, sourceMap) };
  } catch (error) {
    if (error instanceof RangeError) throw new StyleError(createRecursionError(path));
    if (!(error instanceof Exception)) throw error;
    throw new StyleError(describe(error, path, context));
  }
}

/** Creates the error of a stack overflow, for which Sass has no position. */
function createRecursionError(path: string) {
  const message = 'Infinite recursion: a mixin or function calls itself.';
  return { message, path, line: 1, column: 1 };
}

/** URL prefix of the project's paths, since Sass identifies files by URL. */
const root = 'project:///';

function pathOf(url: string): string | undefined {
  return url.startsWith(root) ? decodeURIComponent(url.slice(root.length)) : undefined;
}

function syntaxOf(path: string): Syntax {
  switch (getExtension(path)) {
    case 'sass':
      return 'indented';
    case 'css':
    case 'pcss':
    case 'postcss':
      return 'css';
    default:
      return 'scss';
  }
}

function createImporter(entry: string, context: LanguageContext): Importer<'sync'> {
  return {
    canonicalize(url, { fromImport }) {
      const path = pathOf(url);
      const found = path === undefined ? undefined : findSheet(path, fromImport, context.exists);
      return found === undefined ? null : new URL(root + encodePath(found));
    },
    load(url) {
      const path = pathOf(url.href);
      const contents = path === undefined ? undefined : context.read(path);
      if (path === undefined || contents === undefined) return null;
      return {
        contents: relocateUrls(contents, path, entry),
        syntax: syntaxOf(path),
        sourceMapUrl: url,
      };
    },
  };
}

/**
 * "a/colors" → a/colors.scss, a/_colors.scss, a/colors.css … or a/colors/_index.scss; for `@import`,
 * "colors.import.scss" comes first.
 */
function findSheet(
  path: string,
  fromImport: boolean,
  exists: (path: string) => boolean,
): string | undefined {
  const written = /\.(?:sass|scss|css)$/.exec(path)?.[0];
  const stem = written === undefined ? path : path.slice(0, -written.length);
  const endings = written === undefined ? ['.scss', '.sass', '.css'] : [written];
  const spellings = (name: string) => [name, name.replace(/[^/]*$/, '_$&')];
  const stems = (name: string) =>
    [...(fromImport ? [`${name}.import`] : []), name].flatMap(spellings);
  const all = [...stems(stem), ...(written === undefined ? stems(`${stem}/index`) : [])];
  return all.flatMap((name) => endings.map((ending) => name + ending)).find(exists);
}

function createMap(
  path: string,
  map: { mappings: string; names: string[]; sources: string[]; sourcesContent?: string[] },
): SourceMap {
  return {
    mappings: map.mappings,
    names: map.names,
    sources: map.sources.map((source) => getRelativePath(path, pathOf(source) ?? source)),
    sourcesContent: map.sourcesContent ?? [],
  };
}

function describe({ sassMessage, span }: Exception, entry: string, context: LanguageContext) {
  const path = pathOf(span.url?.href ?? '') ?? entry;
  return {
    message: describeMessage(sassMessage, span.text, context),
    path,
    line: span.start.line + 1,
    column: span.start.column + 1,
  };
}

function describeMessage(message: string, found: string, context: LanguageContext): string {
  if (!message.startsWith("Can't find stylesheet"))
    // The message of `@error` is serialized as a Sass string.
    return translateStyleMessage(message.replace(/^"(.*)"$/s, '$1'), found);
  const name = /["']([^"']+)["']/.exec(found)?.[1] ?? found;
  return context.resolvePackage(name, []) === undefined
    ? `Can’t find stylesheet “${name}” in this project.`
    : `“${name}” is in a package. Sass can only import files in this project.`;
}
