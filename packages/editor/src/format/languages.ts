import { extension } from '@vitrine/project';
import type { Options, Plugin } from 'prettier';
import { isFormatted } from './paths.ts';

type Part = () => Promise<Plugin>;

const babel: Part = () => import('prettier/plugins/babel');
const css: Part = () => import('prettier/plugins/postcss');
const estree: Part = async () => (await import('prettier/plugins/estree')) as Plugin;
const html: Part = () => import('prettier/plugins/html');
const markdown: Part = () => import('prettier/plugins/markdown');
const typescript: Part = () => import('prettier/plugins/typescript');
const yaml: Part = () => import('prettier/plugins/yaml');
const svelte: Part = () => import('prettier-plugin-svelte/browser');

/** What a language is parsed by, and what that needs besides: languages within it. */
interface Language {
  readonly parser: NonNullable<Options['parser']>;
  readonly parts: readonly Part[];
}

const script: Language = { parser: 'babel', parts: [babel, estree] };
const typed: Language = { parser: 'typescript', parts: [typescript, estree] };
const page: Language = { parser: 'html', parts: [html, css, babel, estree] };
const text: Language = { parser: 'markdown', parts: [markdown, yaml] };
const data: Language = { parser: 'json', parts: [babel, estree] };

const languages: Readonly<Record<string, Language>> = {
  js: script,
  mjs: script,
  cjs: script,
  jsx: script,
  ts: typed,
  mts: typed,
  cts: typed,
  tsx: typed,
  css: { parser: 'css', parts: [css] },
  scss: { parser: 'scss', parts: [css] },
  less: { parser: 'less', parts: [css] },
  html: page,
  htm: page,
  svg: page,
  vue: { parser: 'vue', parts: [html, css, babel, typescript, estree] },
  svelte: { parser: 'svelte', parts: [svelte, html, css, babel, typescript, estree] },
  json: data,
  webmanifest: data,
  md: text,
  markdown: text,
  yaml: { parser: 'yaml', parts: [yaml] },
  yml: { parser: 'yaml', parts: [yaml] },
};

/** What Prettier needs for a file, loaded with the first of its language; undefined for others. */
export async function loadParser(
  path: string,
): Promise<Pick<Options, 'parser' | 'plugins'> | undefined> {
  const language = isFormatted(path) ? languages[extension(path)] : undefined;
  if (!language) return undefined;
  const plugins = await Promise.all(language.parts.map((load) => load()));
  // npm writes its manifest so.
  const parser = path.endsWith('package.json') ? 'json-stringify' : language.parser;
  return { parser, plugins };
}
