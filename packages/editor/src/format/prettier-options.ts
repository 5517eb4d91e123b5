/**
 * Reads a project's Prettier options from its JSON and YAML config files and `.editorconfig`.
 * `prettier.config.js` is code and is not run.
 */
import { isRecord } from '@vitrine/project';
import type { Options } from 'prettier';
import picomatch from 'picomatch';
import { prettierConfigFiles } from './format-support.ts';

/** Formatting options of Prettier and its Svelte plugin. */
const supportedOptions: ReadonlySet<string> = new Set([
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

type ProjectFiles = ReadonlyMap<string, string>;

/**
 * The options for a file: those of the nearest config file, over those of `.editorconfig`.
 * Undefined if that config file is neither valid JSON nor YAML.
 */
export async function readPrettierOptions(
  files: ProjectFiles,
  path: string,
): Promise<Options | undefined> {
  const config = await findConfig(files, path);
  if (config === undefined) return undefined;
  return {
    ...readEditorConfig(files.get('.editorconfig') ?? '', path),
    ...selectOptions(config, path),
  };
}

async function findConfig(files: ProjectFiles, path: string): Promise<unknown> {
  for (const folder of listAncestorFolders(path)) {
    const name = prettierConfigFiles.find((configName) => files.has(folder + configName));
    if (name) return parseJsonOrYaml(files.get(folder + name) ?? '');
    const manifest = await parseJsonOrYaml(files.get(`${folder}package.json`) ?? '');
    if (isRecord(manifest) && isRecord(manifest.prettier)) return manifest.prettier;
  }
  return {};
}

/** Folders from the file's own to the root: "a/b/c.js" → "a/b/", "a/", "". */
function listAncestorFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`).concat('');
}

/** Parses JSON or YAML. Undefined if the text is neither. */
async function parseJsonOrYaml(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // The text may be YAML.
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  try {
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // Aliases are rejected, since they can expand without limit.
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function selectOptions(config: unknown, path: string): Options {
  if (!isRecord(config)) return {};
  const options = filterSupported(config);
  const overrides = Array.isArray(config.overrides) ? config.overrides.filter(isRecord) : [];
  for (const { files, excludeFiles, options: overrideOptions } of overrides)
    if (isRecord(overrideOptions) && matches(files, path) && !matches(excludeFiles, path))
      Object.assign(options, filterSupported(overrideOptions));
  return options;
}

function filterSupported(config: Readonly<Record<string, unknown>>): Options {
  return Object.fromEntries(Object.entries(config).filter(([name]) => supportedOptions.has(name)));
}

function matches(globs: unknown, path: string): boolean {
  const list = (Array.isArray(globs) ? globs : [globs]).filter((glob) => typeof glob === 'string');
  return list.some((glob) => picomatch(glob, { basename: true, dot: true })(path));
}

/** Parses `[*.js]` sections with lines of `name = value`. */
function readEditorConfig(text: string, path: string): Options {
  const properties: Record<string, string> = {};
  let isApplicable = false;
  for (const line of text.split('\n')) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) isApplicable = matches(section, path);
    const [, name = '', value = ''] = /^\s*([a-z_]+)\s*=\s*([\w-]+)/i.exec(line) ?? [];
    if (isApplicable && name !== '') properties[name.toLowerCase()] = value.toLowerCase();
  }
  const {
    indent_style: indentStyle,
    indent_size: indentSize,
    tab_width: configuredTabWidth,
    max_line_length: maxLineLength,
  } = properties;
  const tabWidth = Number(
    indentSize === undefined || indentSize === 'tab' ? configuredTabWidth : indentSize,
  );
  return {
    ...(indentStyle && { useTabs: indentStyle === 'tab' }),
    ...(tabWidth > 0 && { tabWidth }),
    ...(Number(maxLineLength) > 0 && { printWidth: Number(maxLineLength) }),
  };
}
