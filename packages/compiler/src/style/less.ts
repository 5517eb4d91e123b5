// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./untyped.d.ts" />
/**
 * Compiles Less. Uses its core without the parts that read disks and fetch URLs, without plugins and
 * without JavaScript in stylesheets, so that it reads only files of the project.
 */
import './function-constructor.ts';
import { encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import createLess from 'less/lib/less/index.js';
import AbstractFileManager from 'less/lib/less/environment/abstract-file-manager.js';
import { findMediaType } from '@vitrine/project';
import { resolvePath } from '../resolve-path.ts';
import { toBase64 } from '../source-map.ts';
import type { SourceMap } from '../script/transform-script.ts';
import { getRelativePath } from './relative-path.ts';
import { StyleError, type CompiledStyle } from './style-error.ts';
import { translateStyleMessage } from './style-messages.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

/** Compiles a Less stylesheet. Throws `StyleError`. */
export function compileLess({ path, text }: ModuleSource, context: LanguageContext): CompiledStyle {
  const sources = new Map<string, string>([[path, text]]);
  // Created for each file, since an instance caches imported files and functions with paths.
  const less = createLess(environment, [new ProjectFiles(context, sources)]);
  less.PluginLoader = NoPlugins;
  const options = {
    filename: path,
    syncImport: true,
    rewriteUrls: 'all',
    javascriptEnabled: false,
    sourceMap: { disableSourcemapAnnotation: true, sourceMapBasepath: '' },
  };
  let result: CompiledStyle | undefined;
  try {
    // With `syncImport`, the callback is called before `render` returns.
    less.render(text, options, (error, output) => {
      if (!output) throw error;
      const map = output.map === undefined ? undefined : readMap(path, output.map, sources);
      result = { css: output.css, map };
    });
  } catch (error) {
    throw describe(error, path);
  }
  if (!result) throw new Error('Less returned no result');
  return result;
}

class ProjectFiles extends AbstractFileManager {
  readonly #context: LanguageContext;
  /** Texts of all files that were read, for the source map. */
  readonly #sources: Map<string, string>;
  constructor(context: LanguageContext, sources: Map<string, string>) {
    super();
    this.#context = context;
    this.#sources = sources;
  }
  supports(): boolean {
    return true;
  }
  supportsSync(): boolean {
    return true;
  }
  /** Loads a file. Less throws a returned object without a file name at the import. */
  loadFileSync(name: string, folder: string, options: { ext?: string }): object {
    const written = resolvePath(`${folder}x`, name) ?? '';
    const path = [this.tryAppendExtension(written, options.ext ?? ''), written].find((candidate) =>
      this.#context.exists(candidate),
    );
    const contents = path === undefined ? undefined : this.#context.read(path);
    if (path === undefined || contents === undefined) {
      const isPackage = this.#context.resolvePackage(name, []) !== undefined;
      return {
        type: 'File',
        message: isPackage
          ? `“${name}” is in a package. Less can only import files in this project`
          : `Can’t find stylesheet “${name}” in this project`,
      };
    }
    this.#sources.set(path, contents);
    return { filename: path, contents };
  }
}

class NoPlugins {
  loadPluginSync(): object {
    return { message: 'Plugins aren’t supported: project code can’t run during compilation' };
  }
}

const environment = {
  encodeBase64: toBase64,
  // For `data-uri()`. Only text is read here; for other files, Less keeps the URL.
  mimeLookup: (path: string) => findMediaType(path) ?? 'text/plain',
  charsetLookup: () => 'UTF-8',
  getSourceMapGenerator: () => MapWriter,
};

interface Mapping {
  generated: { line: number; column: number };
  original: { line: number; column: number };
  source: string;
}

/** The source map generator for Less. Lines are 1-based. */
class MapWriter {
  readonly #sources: string[] = [];
  readonly #mappings: SourceMapMappings = [];
  addMapping({ generated, original, source }: Mapping): void {
    if (!this.#sources.includes(source)) this.#sources.push(source);
    while (this.#mappings.length < generated.line) this.#mappings.push([]);
    const line = this.#mappings[generated.line - 1];
    const index = this.#sources.indexOf(source);
    line?.push([generated.column, index, original.line - 1, original.column]);
  }
  toJSON(): object {
    return { sources: this.#sources, mappings: encode(this.#mappings) };
  }
}

function readMap(path: string, text: string, texts: ReadonlyMap<string, string>): SourceMap {
  const { sources, mappings } = JSON.parse(text) as { sources: string[]; mappings: string };
  return {
    mappings,
    names: [],
    sources: sources.map((source) => getRelativePath(path, source)),
    sourcesContent: sources.map((source) => texts.get(source) ?? ''),
  };
}

/** Converts an error of Less, an object with a 0-based column. */
function describe(error: unknown, entry: string): unknown {
  if (typeof error !== 'object' || error === null || !('message' in error)) return error;
  const { message, filename, line, column }: Record<string, unknown> = { ...error };
  return new StyleError({
    message: describeMessage(message),
    path: typeof filename === 'string' ? filename : entry,
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column + 1 : 1,
  });
}

/** Creates the message. A stack overflow in Less has none. */
function describeMessage(message: unknown): string {
  if (typeof message !== 'string' || /call stack/i.test(message))
    return 'Infinite recursion: a mixin calls itself.';
  return /Inline JavaScript is not enabled/i.test(message)
    ? 'JavaScript in stylesheets isn’t supported: project code can’t run during compilation.'
    : translateStyleMessage(message);
}
