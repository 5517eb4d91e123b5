/**
 * Modules for imports of files that aren't scripts. `import './a.css'` adds the stylesheet to the
 * page, `import data, { name } from './a.json'` imports its contents; both are served at the file's
 * URL with `?module`. `import url from './a.svg'` is the same as `'./a.svg?url'` and imports the URL
 * of the file. `?raw` imports the text of any file.
 */
import { getExtension } from '@vitrine/project';
import { isMarkdownPath, isStylePath } from './file-kinds.ts';
import { createNamedExports } from './script/named-exports.ts';
import { encodePath } from './resolve-path.ts';
import { describeJsonError } from './error-messages/json-messages.ts';

/** The query of an asset module. */
export type AssetQuery = '?module' | '?raw' | '?url';

const queries: readonly AssetQuery[] = ['?module', '?raw', '?url'];

/** "./a.svg?raw" → "?raw"; undefined for other queries. */
export function findAssetQuery(specifier: string): AssetQuery | undefined {
  return queries.find((query) => specifier.endsWith(query));
}

/** Returns the query of an import without one; undefined if the file itself is a module. */
export function getImportQuery(path: string): AssetQuery | undefined {
  if (isStylePath(path) || isMarkdownPath(path) || getExtension(path) === 'json') return '?module';
  return urlExtensions.has(getExtension(path)) ? '?url' : undefined;
}

/** Media and other files that scripts use by URL. */
const urlExtensions = new Set(
  `svg png jpg jpeg gif webp avif ico jxl mp4 webm ogg mp3 wav flac aac m4a opus mov vtt woff woff2
  ttf otf eot pdf txt webmanifest`.split(/\s+/),
);

interface AssetFile {
  path: string;
  text: string;
  /** The compiled part of its module; null if there is none. */
  module: string | null;
}

/** Creates an asset module. `url` is the URL of the file itself. */
export function createAssetModule(
  { path, text, module }: AssetFile,
  query: AssetQuery,
  url = `/${encodePath(path)}`,
): string {
  if (query === '?raw') return createDefaultExport(text);
  if (query === '?url') return createDefaultExport(url);
  if (isStylePath(path)) return createStyleModule(url) + (module ?? '');
  return getExtension(path) === 'json' ? createJsonModule(path, text) : (module ?? '');
}

export function createDefaultExport(value: unknown): string {
  return `export default ${JSON.stringify(value)};\n`;
}

/**
 * Creates a module that adds a `<link>`, so that edits are applied as for links of the page. Importers
 * wait until the stylesheet is loaded. In a worker, the module does nothing.
 */
function createStyleModule(url: string): string {
  return `if (typeof document !== 'undefined') {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = ${JSON.stringify(url)};
  await new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
`;
}

/** `{"a": 1, "b-c": 2}` → a default export of the value and a named export of `a`. */
function createJsonModule(path: string, text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return createFailingModule(path, text);
    throw error;
  }
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const exported = createNamedExports('json', Array.isArray(value) ? [] : keys);
  // JSON.parse treats `__proto__` like other keys, and is faster than a literal.
  return `const json = JSON.parse(${JSON.stringify(text)});\nexport default json;\n${exported}`;
}

/**
 * Creates a module with a syntax error at the position of the JSON error. If it threw instead,
 * browsers would first report its missing exports as errors of its importers.
 */
function createFailingModule(path: string, text: string): string {
  const { sentence, line, column } = describeJsonError(text);
  const place = '\n'.repeat(line - 1) + ' '.repeat(column - 1);
  return `${place}this is not JSON: ${JSON.stringify(`${path}: ${sentence}`)}\n`;
}
