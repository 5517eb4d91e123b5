import { getExtension } from '@vitrine/project';

/** The role of a compiled file in a page: script, stylesheet or page. */
type FileKind = 'script' | 'style' | 'page';

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
  pcss: 'style',
  postcss: 'style',
  scss: 'style',
  sass: 'style',
  less: 'style',
  html: 'page',
  htm: 'page',
  md: 'page',
} as const satisfies Record<string, FileKind>;

/** Extensions of compiled files. Each has a compiler in `compile-file.ts`. */
export type CompiledExtension = keyof typeof kinds;

/** Returns the kind of a file; undefined for files that are never compiled: data, images, text. */
export function findFileKind(path: string): FileKind | undefined {
  const found = findCompiledExtension(path);
  return found && kinds[found];
}

export function findCompiledExtension(path: string): CompiledExtension | undefined {
  const found = getExtension(path);
  return isCompiledExtension(found) ? found : undefined;
}

function isCompiledExtension(found: string): found is CompiledExtension {
  return Object.hasOwn(kinds, found);
}

export function isScriptPath(path: string): boolean {
  return findFileKind(path) === 'script';
}

export function isStylePath(path: string): boolean {
  return findFileKind(path) === 'style';
}

/** Whether a stylesheet is in CSS itself, which PostCSS and Tailwind only add at-rules to. */
export function isCssPath(path: string): boolean {
  return ['css', 'pcss', 'postcss'].includes(getExtension(path));
}

export function isPagePath(path: string): boolean {
  return findFileKind(path) === 'page';
}

/** Whether a file is Markdown, a page that can also be read as text. */
export function isMarkdownPath(path: string): boolean {
  return findCompiledExtension(path) === 'md';
}

/** Media types of compiled output. */
export const outputTypes: Readonly<Record<FileKind, string>> = {
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
  page: 'text/html; charset=utf-8',
};
