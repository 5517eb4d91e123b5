import { extension } from '@vitrine/project';
import type { Options, Plugin } from 'prettier';
import { isFormatted } from './paths.ts';

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
  readonly parts: readonly PluginLoader[];
}

const scriptParser: ParserConfig = { parser: 'babel', parts: [babel, estree] };
const typescriptParser: ParserConfig = { parser: 'typescript', parts: [typescript, estree] };
const htmlParser: ParserConfig = { parser: 'html', parts: [html, css, babel, estree] };
const markdownParser: ParserConfig = { parser: 'markdown', parts: [markdown, yaml] };
const jsonParser: ParserConfig = { parser: 'json', parts: [babel, estree] };

const languages: Readonly<Record<string, ParserConfig>> = {
  js: scriptParser,
  mjs: scriptParser,
  cjs: scriptParser,
  jsx: scriptParser,
  ts: typescriptParser,
  mts: typescriptParser,
  cts: typescriptParser,
  tsx: typescriptParser,
  css: { parser: 'css', parts: [css] },
  scss: { parser: 'scss', parts: [css] },
  less: { parser: 'less', parts: [css] },
  html: htmlParser,
  htm: htmlParser,
  svg: htmlParser,
  vue: { parser: 'vue', parts: [html, css, babel, typescript, estree] },
  svelte: { parser: 'svelte', parts: [svelte, html, css, babel, typescript, estree] },
  json: jsonParser,
  webmanifest: jsonParser,
  md: markdownParser,
  markdown: markdownParser,
  yaml: { parser: 'yaml', parts: [yaml] },
  yml: { parser: 'yaml', parts: [yaml] },
};

/** Loads Prettier's parser for a file. Undefined if it has none. */
export async function loadParser(
  path: string,
): Promise<Pick<Options, 'parser' | 'plugins'> | undefined> {
  const language = isFormatted(path) ? languages[extension(path)] : undefined;
  if (!language) return undefined;
  const plugins = await Promise.all(language.parts.map((load) => load()));
  // npm's own formatting of package.json.
  const parser = path.endsWith('package.json') ? 'json-stringify' : language.parser;
  return { parser, plugins };
}
