import type { Extension } from '@codemirror/state';
import { extension } from '@vitrine/project/paths';
import { css as cssLanguage } from './languages/css.ts';
import { html as htmlLanguage } from './languages/html.ts';
import { javascript } from './languages/javascript.ts';

/** What a language can look up while completing. */
export interface ProjectNames {
  /** Paths of the project's files. */
  paths(): readonly string[];
  /** Texts of the project's files, for the names in them. */
  texts(): Iterable<string>;
}

type Language = (names: ProjectNames) => Extension;

// Most projects have these: they come with the editor, all others when they are needed.
const html = () => Promise.resolve(htmlLanguage);
const css = () => Promise.resolve(cssLanguage);
const script = (options: { jsx?: boolean; typescript?: boolean }) => () =>
  Promise.resolve(javascript(options));
const sass = () => import('./languages/sass.ts').then((module) => module.sass);
const less = () => import('./languages/less.ts').then((module) => module.less);
const vue = () => import('./languages/vue.ts').then((module) => module.vue);
const svelte = () => import('./languages/svelte.ts').then((module) => module.svelte);
const markdown = () => import('./languages/markdown.ts').then((module) => module.markdown);
const json = () => import('./languages/json.ts').then((module) => module.json);

const loaders: Readonly<Record<string, () => Promise<Language>>> = {
  html,
  htm: html,
  svg: html,
  css,
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

/** Languages that have arrived, by extension; there are as many as there are loaders. */
const loaded = new Map<string, Language>();

/**
 * Loads the language of a path. Called before the editor is made, while the text is still on its
 * way, it spares the first file a moment without colours. Plain text for what has no language.
 */
export async function loadLanguage(path: string): Promise<void> {
  const name = extension(path);
  const load = loaders[name];
  if (load && !loaded.has(name)) loaded.set(name, await load());
}

/** The language of a path if it has arrived; undefined while `loadLanguage` is needed. */
export function findLanguage(path: string, names: ProjectNames): Extension | undefined {
  const name = extension(path);
  return loaders[name] ? loaded.get(name)?.(names) : [];
}
