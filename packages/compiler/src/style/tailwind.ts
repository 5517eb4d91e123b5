/** Compiles Tailwind 4 stylesheets, with the utility classes that the project's files use. */
import { compile } from 'tailwindcss';
import type { QuickFix } from '@vitrine/project';
import { resolvePath } from '../resolve-path.ts';
import { findCandidates } from './candidates.ts';
import { relocateUrls, getRelativePath } from './relative-path.ts';
import { getPosition } from '../page/instrument-html.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { adaptTailwind3 } from './tailwind-3.ts';
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
    rejectPlugins({ path, text });
    return { path, text: relocateUrls(text, path, source.path) };
  };
  rejectPlugins(source);
  const adapted = adaptTailwind3(source, context);
  const warnings = [...adapted.warnings];
  try {
    const compiler = await compile(adapted.text, {
      base: source.path,
      // With `from`, syntax errors have positions.
      from: source.path,
      loadStylesheet(name, from) {
        const { path, text } = load(name, from);
        return Promise.resolve({ path, base: path, content: text });
      },
      async loadModule(name, from) {
        const path = findConfig(name, from, context);
        const text = path === undefined ? undefined : context.read(path);
        if (path === undefined || text === undefined)
          throw createMissingError(name, from, texts, 'configuration file');
        const { value, warning } = await readConfig({ path, text }, context);
        if (warning) warnings.push(warning);
        return { path, base: path, module: value };
      },
    });
    const css = compiler.build(findCandidates(context.readAll()));
    const map = createScriptMap(source.path, compiler.buildSourceMap(), texts);
    return { css, map, warnings };
  } catch (error) {
    if (error instanceof StyleError || !(error instanceof Error)) throw error;
    const located = locate(error, source, texts);
    const isUnreferenced = error.message.includes('@reference') && context.exists(source.path);
    throw isUnreferenced
      ? new StyleError({ ...located.problem, fixes: [createReferenceFix(source.path)] })
      : located;
  }
}

/** Creates the fix for a stylesheet that uses Tailwind's classes without naming Tailwind. */
function createReferenceFix(path: string): QuickFix {
  const text = '@reference "tailwindcss";\n';
  return {
    label: 'Add @reference "tailwindcss"',
    edit: { type: 'replace', path, line: 1, column: 1, before: '', text },
  };
}

function findSheet(name: string, from: string, { exists }: LanguageContext): string | undefined {
  const path = resolvePath(from, name);
  return path === undefined ? undefined : [path, `${path}.css`].find(exists);
}

/** Throws for `@plugin`, which would run project scripts during compilation. */
function rejectPlugins({ path, text }: ModuleSource): void {
  const found = /(?<!\/\*[^*]*)@plugin\b/.exec(text);
  if (!found) return;
  const message = '“@plugin” isn’t supported: project code can’t run during compilation.';
  throw createStyleError(message, path, text, found.index);
}

function findConfig(name: string, from: string, { exists }: LanguageContext): string | undefined {
  const path = resolvePath(from, name);
  return path === undefined
    ? undefined
    : [path, `${path}.js`, `${path}.cjs`, `${path}.mjs`, `${path}.ts`].find(exists);
}

/** Reads a configuration file. Warns of the first entry that only running it would tell. */
async function readConfig(
  { path, text }: ModuleSource,
  { loadTransform, settings }: LanguageContext,
): Promise<{ value: object; warning: CompileDiagnostic | undefined }> {
  const isTyped = path.endsWith('.ts');
  const script = isTyped ? (await loadTransform())(path, text, settings).code : text;
  const { readTailwindConfig } = await import('./tailwind-config.ts');
  const config = await tryRead(() => readTailwindConfig(script));
  if (!config)
    throw createStyleError('Can’t find the configuration: export an object.', path, text, 0);
  const { value, unread } = config;
  if (!unread) return { value, warning: undefined };
  const message = `Part of “${unread.name}” is skipped: project code can’t run during compilation.`;
  const location = getPosition(isTyped ? '' : text, isTyped ? 0 : unread.at);
  return { value, warning: { message, path, ...location, severity: 'warning' } };
}

/** Returns undefined for a file that doesn't parse. */
async function tryRead<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function createMissingError(
  name: string,
  from: string,
  texts: ReadonlyMap<string, string>,
  kind = 'stylesheet',
): StyleError {
  const text = texts.get(from) ?? '';
  const message = `Can’t find ${kind} “${name}” in this project.`;
  return createStyleError(message, from, text, text.indexOf(name));
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
    return new StyleError({ ...problem, message: translateStyleMessage(message) });
  }
  const message = translateStyleMessage(error.message);
  const quoted = [...error.message.matchAll(/`([^`]+)`|"([^"]+)"/g)].map(
    ([, ticked, quotes]) => ticked ?? quotes ?? '',
  );
  const words = [...quoted.filter((word) => !word.startsWith('@')), ...quoted];
  for (const [path, text] of texts)
    for (const word of words)
      if (text.includes(word)) return createStyleError(message, path, text, text.indexOf(word));
  return createStyleError(message, source.path, source.text, 0);
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
