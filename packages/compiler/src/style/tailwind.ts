/** Compiles Tailwind 4 stylesheets, with the utility classes that the project's files use. */
import { compile } from 'tailwindcss';
import { resolvePath } from '../resolve-path.ts';
import { findCandidates } from './candidates.ts';
import { relocateUrls, getRelativePath } from './relative-path.ts';
import { createStyleError, StyleError, type CompiledStyle } from './style-error.ts';
import { translateStyleMessage } from './style-messages.ts';
import { encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import type { SourceMap } from '../script/transform-script.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

/** Compiles a Tailwind stylesheet. Throws `StyleError`. */
export async function compileTailwind(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledStyle> {
  const ownSheets = await context.loadTailwindSheets();
  /** Texts of the project's stylesheets included in this one, by path. */
  const texts = new Map([[source.path, source.text]]);
  const load = (name: string, from: string): ModuleSource => {
    const ownSheet = ownSheets.get(name.replace(/\.css$/, ''));
    if (ownSheet !== undefined) return { path: name, text: ownSheet };
    const path = findSheet(name, from, context);
    const text = path === undefined ? undefined : context.read(path);
    if (path === undefined || text === undefined) throw createMissingError(name, from, texts);
    texts.set(path, text);
    rejectScripts({ path, text });
    return { path, text: relocateUrls(text, path, source.path) };
  };
  rejectScripts(source);
  try {
    const compiler = await compile(source.text, {
      base: source.path,
      // With `from`, syntax errors have positions.
      from: source.path,
      loadStylesheet(name, from) {
        const { path, text } = load(name, from);
        return Promise.resolve({ path, base: path, content: text });
      },
    });
    const css = compiler.build(findCandidates(context.readAll()));
    return { css, map: createScriptMap(source.path, compiler.buildSourceMap(), texts) };
  } catch (error) {
    if (error instanceof StyleError || !(error instanceof Error)) throw error;
    throw locate(error, source, texts);
  }
}

function findSheet(name: string, from: string, { exists }: LanguageContext): string | undefined {
  const path = resolvePath(from, name);
  return path === undefined ? undefined : [path, `${path}.css`].find(exists);
}

/** Throws for `@plugin` and `@config`, which would run project scripts during compilation. */
function rejectScripts({ path, text }: ModuleSource): void {
  const found = /(?<!\/\*[^*]*)@(?:plugin|config)\b/.exec(text);
  if (!found) return;
  const sentence = `“${found[0]}” isn’t supported: project code can’t run during compilation.`;
  throw createStyleError(sentence, path, text, found.index);
}

function createMissingError(
  name: string,
  from: string,
  texts: ReadonlyMap<string, string>,
): StyleError {
  const text = texts.get(from) ?? '';
  const sentence = `Can’t find stylesheet “${name}” in this project.`;
  return createStyleError(sentence, from, text, text.indexOf(name));
}

/** Locates an error. Most have no position, so it is where a quoted word first occurs. */
function locate(
  error: Error,
  source: ModuleSource,
  texts: ReadonlyMap<string, string>,
): StyleError {
  const placed = /^(.+):(\d+):(\d+): (.+)$/.exec(error.message);
  if (placed) {
    const [, path = '', line, column, message = ''] = placed;
    const problem = { path, line: Number(line), column: Number(column) };
    return new StyleError({ ...problem, sentence: translateStyleMessage(message) });
  }
  const sentence = translateStyleMessage(error.message);
  const quoted = [...error.message.matchAll(/`([^`]+)`|"([^"]+)"/g)].map(
    ([, ticked, quotes]) => ticked ?? quotes ?? '',
  );
  const words = [...quoted.filter((word) => !word.startsWith('@')), ...quoted];
  for (const [path, text] of texts)
    for (const word of words)
      if (text.includes(word)) return createStyleError(sentence, path, text, text.indexOf(word));
  return createStyleError(sentence, source.path, source.text, 0);
}

type TailwindMap = ReturnType<Awaited<ReturnType<typeof compile>>['buildSourceMap']>;

/**
 * Creates the source map of a stylesheet to the project's files.
 * Tailwind's own stylesheets are omitted: with them, the map would be larger than the CSS.
 * @param texts Texts of the project's stylesheets, by path.
 */
function createScriptMap(
  path: string,
  { mappings }: TailwindMap,
  texts: ReadonlyMap<string, string>,
): SourceMap {
  const sources = [...texts.keys()];
  const lines: SourceMapMappings = [];
  for (const { generatedPosition: at, originalPosition: from } of mappings) {
    const source = sources.indexOf(from?.source.url ?? '');
    while (lines.length < at.line) lines.push([]);
    lines[at.line - 1]?.push(
      from && source !== -1 ? [at.column, source, from.line - 1, from.column] : [at.column],
    );
  }
  return {
    mappings: encode(lines),
    names: [],
    sources: sources.map((source) => getRelativePath(path, source)),
    sourcesContent: [...texts.values()],
  };
}
