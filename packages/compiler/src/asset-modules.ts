/**
 * Modules for imports of files that aren't scripts. `import './a.css'` adds the stylesheet to the
 * page, `import data, { name } from './a.json'` imports its contents; both are served at the file's
 * URL with `?module`. `import url from './a.svg'` is the same as `'./a.svg?url'` and imports the URL
 * of the file. `?raw` imports the text of any file, `?inline` a stylesheet's text or a data URL,
 * `?worker` and `?sharedworker` a class that starts the script in a worker, `?init` a function that
 * instantiates WebAssembly.
 */
import { getExtension } from '@vitrine/project';
import { isMarkdownPath, isStylePath } from './file-kinds.ts';
import { createNamedExports } from './script/named-exports.ts';
import { encodePath, resolvePath } from './resolve-path.ts';
import { getUrlFragment, rewriteCss } from './rewrite-css.ts';
import { describeJsonError } from './error-messages/json-messages.ts';

const queries = [
  '?module',
  '?raw',
  '?url',
  '?inline',
  '?worker',
  '?sharedworker',
  '?init',
] as const;

/** The query of an asset module. */
export type AssetQuery = (typeof queries)[number];

/**
 * "./a.svg?raw" → "?raw"; undefined for other queries. Of the combinations that Vite has, `?worker&url`
 * means `?url`, `?worker&inline` means `?worker`, `?no-inline` means `?url`.
 */
export function findAssetQuery(specifier: string): AssetQuery | undefined {
  const [, written = ''] = /\?([\w&-]+)$/.exec(specifier) ?? [];
  const names = written.split('&');
  if (names.includes('no-inline')) return '?url';
  if (names.includes('url')) return names.includes('inline') ? '?inline' : '?url';
  const parts = names.filter((name) => name !== 'inline' || names.length === 1);
  return parts.length === 1 ? queries.find((query) => query === `?${parts[0]}`) : undefined;
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
  /** The compiled output; null if the text itself runs. */
  code: string | null;
  /** The compiled part of its module; null if there is none. */
  module: string | null;
}

/** Creates an asset module. `url` is the URL of the file itself. */
export function createAssetModule(
  { path, text, code, module }: AssetFile,
  query: AssetQuery,
  url = `/${encodePath(path)}`,
): string {
  switch (query) {
    case '?raw':
      return createDefaultExport(text);
    case '?url':
      return createDefaultExport(url);
    case '?inline':
      return isStylePath(path)
        ? createDefaultExport(relocateUrls(code ?? text, path))
        : createDataUrlModule(url);
    case '?worker':
      return createWorkerModule('Worker', url);
    case '?sharedworker':
      return createWorkerModule('SharedWorker', url);
    case '?init':
      return createWasmModule(url);
    case '?module':
  }
  if (isStylePath(path)) return createStyleModule(url) + (module ?? '');
  return getExtension(path) === 'json' ? createJsonModule(path, text) : (module ?? '');
}

export function createDefaultExport(value: unknown): string {
  return `export default ${JSON.stringify(value)};\n`;
}

/** Makes URLs of the project absolute in CSS that isn't at its own URL: `url(./a.png)` → `/css/a.png` */
function relocateUrls(css: string, path: string): string {
  const relocate = (url: string) => {
    const target = resolvePath(path, url);
    return target === undefined ? undefined : `/${encodePath(target)}${getUrlFragment(url)}`;
  };
  return rewriteCss(css, {
    rewriteUrl: relocate,
    rewriteImport: ({ url, conditions }) => {
      const target = relocate(url);
      return target && `@import url("${target}")${conditions && ` ${conditions}`};`;
    },
  });
}

/** The file's bytes are read where the module runs, since they may not be text. */
function createDataUrlModule(url: string): string {
  return `const blob = await (await fetch(${JSON.stringify(url)})).blob();
export default await new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});
`;
}

/** A constructor that takes the same options as Vite's: `new Counter({ name: 'a' })` */
function createWorkerModule(name: 'Worker' | 'SharedWorker', url: string): string {
  return `export default function WorkerWrapper(options) {
  return new ${name}(${JSON.stringify(url)}, { type: 'module', name: options?.name });
}
`;
}

/** `import init from './a.wasm?init'`, then `await init(imports)` gives the instance. */
function createWasmModule(url: string): string {
  return `export default async (imports) => {
  const response = await fetch(${JSON.stringify(url)});
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
};
`;
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
  const { message, line, column } = describeJsonError(text);
  const indent = '\n'.repeat(line - 1) + ' '.repeat(column - 1);
  return `${indent}this is not JSON: ${JSON.stringify(`${path}: ${message}`)}\n`;
}
