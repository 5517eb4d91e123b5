import type { Extension } from '@codemirror/state';
import { getExtension } from '@vitrine/project/paths';
import { css as cssLanguage } from './languages/css.ts';
import { html as htmlLanguage } from './languages/html.ts';
import { javascript } from './languages/javascript.ts';
import type { ProjectNames } from './languages/class-and-id-names.ts';

type Language = (names: ProjectNames) => Extension;

// Languages that most projects use are part of the editor's bundle; the others load on demand.
const html = () => Promise.resolve(htmlLanguage);
const css = () => Promise.resolve(cssLanguage);
const script = (options: { jsx?: boolean; typescript?: boolean }) => () =>
  Promise.resolve(javascript(options));
const sass = () => import('./languages/sass.ts').then((module) => module.sass);
const less = () => import('./languages/less.ts').then((module) => module.less);
const vue = () => import('./languages/vue.ts').then((module) => module.vue);
const svelte = () => import('./languages/svelte.ts').then((module) => module.svelte);
const markdown = () => import('./languages/markdown.ts').then((module) => module.markdown);
const json = () => import('@codemirror/lang-json').then((module) => module.json);

const loaders: Readonly<Record<string, () => Promise<Language>>> = {
  html,
  htm: html,
  svg: html,
  css,
  pcss: css,
  postcss: css,
  scss: sass,
  less,
  js: script({ jsx: true }),
  mjs: script({ jsx: true }),
  cjs: script({ jsx: true }),
  jsx: script({ jsx: true }),
  ts: script({ typescript: true }),
  mts: script({ typescript: true }),
  cts: script({ typescript: true }),
  tsx: script({ jsx: true, typescript: true }),
  vue,
  svelte,
  json,
  webmanifest: json,
  map: json,
  md: markdown,
  markdown,
};

/** Loaded languages, by file extension. Never evicted: at most one per loader. */
const loaded = new Map<string, Language>();

/**
 * Loads the language of a path. Calling it before the editor is created, while the text is still
 * loading, avoids a flash of unhighlighted text. Does nothing for a path without a language.
 */
export async function loadLanguage(path: string): Promise<void> {
  const fileExtension = getExtension(path);
  const load = loaders[fileExtension];
  if (load && !loaded.has(fileExtension)) loaded.set(fileExtension, await load());
}

/**
 * The language of a path, or undefined while it has to be loaded with `loadLanguage` first. An
 * empty extension for a path without a language.
 */
export function findLanguage(path: string, names: ProjectNames): Extension | undefined {
  const fileExtension = getExtension(path);
  return loaders[fileExtension] ? loaded.get(fileExtension)?.(names) : [];
}
