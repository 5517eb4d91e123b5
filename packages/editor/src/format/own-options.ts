/** What a project says of its format, in files that are data: `prettier.config.js` is code, and is not run. */
import type { Options } from 'prettier';
import picomatch from 'picomatch';
import { optionFiles } from './paths.ts';

/** Those of Prettier and of its part for Svelte that say how code looks. */
const known: ReadonlySet<string> = new Set([
  'arrowParens',
  'bracketSameLine',
  'bracketSpacing',
  'embeddedLanguageFormatting',
  'experimentalOperatorPosition',
  'experimentalTernaries',
  'htmlWhitespaceSensitivity',
  'jsxSingleQuote',
  'objectWrap',
  'printWidth',
  'proseWrap',
  'quoteProps',
  'semi',
  'singleAttributePerLine',
  'singleQuote',
  'svelteAllowShorthand',
  'svelteIndentScriptAndStyle',
  'svelteSortOrder',
  'tabWidth',
  'trailingComma',
  'useTabs',
  'vueIndentScriptAndStyle',
]);

type Files = ReadonlyMap<string, string>;

/**
 * The options for a file: of the folder nearest to it, over those of `.editorconfig`; undefined where
 * that folder's file is neither JSON nor YAML.
 */
export async function readOptions(files: Files, path: string): Promise<Options | undefined> {
  const own = await findConfig(files, path);
  if (own === undefined) return undefined;
  return { ...readEditorConfig(files.get('.editorconfig') ?? '', path), ...pick(own, path) };
}

async function findConfig(files: Files, path: string): Promise<unknown> {
  for (const folder of foldersOf(path)) {
    const name = optionFiles.find((each) => files.has(folder + each));
    if (name) return parseData(files.get(folder + name) ?? '');
    const manifest = await parseData(files.get(`${folder}package.json`) ?? '');
    if (isRecord(manifest) && isRecord(manifest.prettier)) return manifest.prettier;
  }
  return {};
}

/** "a/b/c.js" → "a/b/", "a/", "" */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`).concat('');
}

/** JSON, or YAML, of which JSON is a part; undefined for what is neither. */
async function parseData(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // It may be YAML.
  }
  const { parseDocument } = await import('yaml');
  const read = parseDocument(text);
  try {
    return read.errors.length > 0 ? undefined : read.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // It repeats itself by aliases, which can grow without end.
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function pick(config: unknown, path: string): Options {
  if (!isRecord(config)) return {};
  const options = pickKnown(config);
  const overrides = Array.isArray(config.overrides) ? config.overrides.filter(isRecord) : [];
  for (const { files, excludeFiles, options: others } of overrides)
    if (isRecord(others) && matches(files, path) && !matches(excludeFiles, path))
      Object.assign(options, pickKnown(others));
  return options;
}

function pickKnown(config: Readonly<Record<string, unknown>>): Options {
  return Object.fromEntries(Object.entries(config).filter(([name]) => known.has(name)));
}

function matches(globs: unknown, path: string): boolean {
  const list = (Array.isArray(globs) ? globs : [globs]).filter((glob) => typeof glob === 'string');
  return list.some((glob) => picomatch(glob, { basename: true, dot: true })(path));
}

/** `[*.js]`, then lines of `name = value`. */
function readEditorConfig(text: string, path: string): Options {
  const said: Record<string, string> = {};
  let isOfFile = false;
  for (const line of text.split('\n')) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) isOfFile = matches(section, path);
    const [, name = '', value = ''] = /^\s*([a-z_]+)\s*=\s*([\w-]+)/i.exec(line) ?? [];
    if (isOfFile && name !== '') said[name.toLowerCase()] = value.toLowerCase();
  }
  const { indent_style: style, indent_size: size, tab_width: width, max_line_length: line } = said;
  const tabWidth = Number(size === undefined || size === 'tab' ? width : size);
  return {
    ...(style && { useTabs: style === 'tab' }),
    ...(tabWidth > 0 && { tabWidth }),
    ...(Number(line) > 0 && { printWidth: Number(line) }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
