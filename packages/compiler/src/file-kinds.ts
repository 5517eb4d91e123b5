import { extension } from '@vitrine/project';

/** What a file is to a page: code that it runs, a sheet that it is styled by, or a page itself. */
export type FileKind = 'script' | 'style' | 'page';

const kinds = {
  js: 'script',
  mjs: 'script',
  ts: 'script',
  mts: 'script',
  tsx: 'script',
  jsx: 'script',
  vue: 'script',
  svelte: 'script',
  css: 'style',
  scss: 'style',
  sass: 'style',
  less: 'style',
  html: 'page',
  htm: 'page',
  md: 'page',
} as const satisfies Record<string, FileKind>;

/** The extensions of files that are compiled: each has its compiler in `compile-file.ts`. */
export type CompiledExtension = keyof typeof kinds;

/** Undefined for files that are only read: data, pictures, text. */
export function findKind(path: string): FileKind | undefined {
  const found = findCompiledExtension(path);
  return found && kinds[found];
}

export function findCompiledExtension(path: string): CompiledExtension | undefined {
  const found = extension(path);
  return isCompiledExtension(found) ? found : undefined;
}

function isCompiledExtension(found: string): found is CompiledExtension {
  return Object.hasOwn(kinds, found);
}

export function isScriptPath(path: string): boolean {
  return findKind(path) === 'script';
}

export function isStylePath(path: string): boolean {
  return findKind(path) === 'style';
}

export function isPagePath(path: string): boolean {
  return findKind(path) === 'page';
}

/** Pages that are also read as they are. */
export function isMarkdownPath(path: string): boolean {
  return findCompiledExtension(path) === 'md';
}

/** The media type of what runs for a file of a kind. */
export const runningTypes: Readonly<Record<FileKind, string>> = {
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
  page: 'text/html; charset=utf-8',
};
