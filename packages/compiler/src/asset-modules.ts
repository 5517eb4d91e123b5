/**
 * Modules that stand for files of other kinds where a script imports them: `import './a.css'` puts
 * the stylesheet into the page, `import data, { name } from './a.json'` gives its contents, both at
 * the file's address with `?module`. `import url from './a.svg'` is the same as `'./a.svg?url'`, the
 * file's address, and `?raw` its text, of any file.
 */
import { extension } from '@vitrine/project';
import { isMarkdownPath, isStylePath } from './file-kinds.ts';
import { exportNames } from './export-names.ts';
import { encodePath } from './resolve-path.ts';
import { describeJsonMistake } from './json-words.ts';

/** What a script can ask of a file beside running it, and the module that answers. */
export type AssetQuery = '?module' | '?raw' | '?url';

const queries: readonly AssetQuery[] = ['?module', '?raw', '?url'];

/** "./a.svg?raw" → "?raw"; undefined for other queries, which mean something to others. */
export function findAssetQuery(specifier: string): AssetQuery | undefined {
  return queries.find((query) => specifier.endsWith(query));
}

/** What a plain import of a file asks for; undefined where the file itself is the module. */
export function importQuery(path: string): AssetQuery | undefined {
  if (isStylePath(path) || isMarkdownPath(path) || extension(path) === 'json') return '?module';
  return addressed.has(extension(path)) ? '?url' : undefined;
}

/** Pictures, sounds and the like: what a script can use of them is their address. */
const addressed = new Set(
  `svg png jpg jpeg gif webp avif ico jxl mp4 webm ogg mp3 wav flac aac m4a opus mov vtt woff woff2
  ttf otf eot pdf txt webmanifest`.split(/\s+/),
);

interface AssetFile {
  path: string;
  text: string;
  /** The part of its module that was compiled; null where there is none. */
  module: string | null;
}

/** The module that answers a query; `address` is where the file itself is found. */
export function assetModule(
  { path, text, module }: AssetFile,
  query: AssetQuery,
  address = `/${encodePath(path)}`,
): string {
  if (query === '?raw') return exportDefault(text);
  if (query === '?url') return exportDefault(address);
  if (isStylePath(path)) return styleModule(address) + (module ?? '');
  return extension(path) === 'json' ? jsonModule(path, text) : (module ?? '');
}

export function exportDefault(value: unknown): string {
  return `export default ${JSON.stringify(value)};\n`;
}

/**
 * A link like one that the page wrote itself, so that edits are swapped in as they are for those.
 * Whoever imports it waits for the sheet, and for nothing where there is no page (in a worker).
 */
function styleModule(address: string): string {
  return `if (typeof document !== 'undefined') {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = ${JSON.stringify(address)};
  await new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
`;
}

/** `{"a": 1, "b-c": 2}` → a default export of it all and a named one of `a`. */
function jsonModule(path: string, text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return failingModule(path, text);
    throw error;
  }
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const exported = exportNames('json', Array.isArray(value) ? [] : keys);
  // Parsed as a text, `__proto__` is a name like others; and JSON.parse is faster than a literal.
  return `const json = JSON.parse(${JSON.stringify(text)});\nexport default json;\n${exported}`;
}

/**
 * It does not parse either, at the same place: one that throws would first be asked for its exports,
 * and whoever imports it would be blamed for the missing ones.
 */
function failingModule(path: string, text: string): string {
  const { sentence, line, column } = describeJsonMistake(text);
  const place = '\n'.repeat(line - 1) + ' '.repeat(column - 1);
  return `${place}this is not JSON: ${JSON.stringify(`${path}: ${sentence}`)}\n`;
}
