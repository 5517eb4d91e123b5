import { getExtension } from '@vitrine/project';
import type { Options, Plugin } from 'prettier';
import { canFormat } from './format-support.ts';

type PluginLoader = () => Promise<Plugin>;

const babel: PluginLoader = () => import('prettier/plugins/babel');
const css: PluginLoader = () => import('prettier/plugins/postcss');
const estree: PluginLoader = async () => (await import('prettier/plugins/estree')) as Plugin;
const html: PluginLoader = () => import('prettier/plugins/html');
const markdown: PluginLoader = () => import('prettier/plugins/markdown');
const typescript: PluginLoader = () => import('prettier/plugins/typescript');
const yaml: PluginLoader = () => import('prettier/plugins/yaml');
const svelte: PluginLoader = () => import('prettier-plugin-svelte/browser');

/**
 * Prettier's parser for a language and the plugins it needs, including those for embedded
 * languages.
 */
interface ParserConfig {
  readonly parser: NonNullable<Options['parser']>;
  readonly plugins: readonly PluginLoader[];
}

const scriptParser: ParserConfig = { parser: 'babel', plugins: [babel, estree] };
const typescriptParser: ParserConfig = { parser: 'typescript', plugins: [typescript, estree] };
const cssParser: ParserConfig = { parser: 'css', plugins: [css] };
const htmlParser: ParserConfig = { parser: 'html', plugins: [html, css, babel, estree] };
const markdownParser: ParserConfig = { parser: 'markdown', plugins: [markdown, yaml] };
const jsonParser: ParserConfig = { parser: 'json', plugins: [babel, estree] };

const languages: Readonly<Record<string, ParserConfig>> = {
  js: scriptParser,
  mjs: scriptParser,
  cjs: scriptParser,
  jsx: scriptParser,
  ts: typescriptParser,
  mts: typescriptParser,
  cts: typescriptParser,
  tsx: typescriptParser,
  css: cssParser,
  pcss: cssParser,
  postcss: cssParser,
  scss: { parser: 'scss', plugins: [css] },
  less: { parser: 'less', plugins: [css] },
  html: htmlParser,
  htm: htmlParser,
  svg: htmlParser,
  vue: { parser: 'vue', plugins: [html, css, babel, typescript, estree] },
  svelte: { parser: 'svelte', plugins: [svelte, html, css, babel, typescript, estree] },
  json: jsonParser,
  webmanifest: jsonParser,
  md: markdownParser,
  markdown: markdownParser,
  yaml: { parser: 'yaml', plugins: [yaml] },
  yml: { parser: 'yaml', plugins: [yaml] },
};

/** Loads Prettier's parser for a file. Undefined if it has none. */
export async function loadPrettierParser(
  path: string,
): Promise<Pick<Options, 'parser' | 'plugins'> | undefined> {
  const language = canFormat(path) ? languages[getExtension(path)] : undefined;
  if (!language) return undefined;
  const plugins = await Promise.all(language.plugins.map((load) => load()));
  // npm's own formatting of package.json.
  const parser = path.endsWith('package.json') ? 'json-stringify' : language.parser;
  return { parser, plugins };
}
