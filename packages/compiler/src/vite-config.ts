/**
 * Reads what a page needs from a vite.config without running it: `resolve.alias` and `envPrefix`, if
 * they are literals and paths joined with `__dirname` or `import.meta.url`.
 */
import { resolvePath } from './resolve-path.ts';
import type { ImportAlias } from './resolve-alias.ts';

const names = ['ts', 'mts', 'js', 'mjs', 'cts', 'cjs'].map((ending) => `vite.config.${ending}`);

export function isViteConfig(path: string): boolean {
  return names.includes(path);
}

export function findViteConfig(read: (path: string) => string | undefined): string | undefined {
  return names.find((path) => read(path) !== undefined);
}

interface ViteConfig {
  aliases: ImportAlias[];
  envPrefixes: string[];
  /** Index of the first alias that can't be read without running the file. */
  unreadableAt: number | undefined;
}

/** Reads a config. `path` is the file's, which relative paths in it refer to. */
export function readViteConfig(path: string, text: string): ViteConfig {
  const code = blankComments(text);
  const alias = findValue(code, /(?<![\w.])alias\s*:\s*/g);
  const prefix = findValue(code, /(?<![\w.])envPrefix\s*:\s*/g);
  const parts = alias && splitItems(alias.text);
  const read = (parts ?? []).map((part) => readAlias(path, part.text));
  const failed = parts?.[read.findIndex((each) => each === undefined)];
  const unreadableAt = failed && alias ? alias.at + failed.at : undefined;
  return {
    aliases: read.flatMap((each) => each ?? []),
    envPrefixes: [...(prefix?.text ?? '').matchAll(/(["'])([\w-]+)\1/g)].map(
      ([, , name = '']) => name,
    ),
    unreadableAt: alias && !parts ? alias.at : unreadableAt,
  };
}

/**
 * Replaces comments by spaces, so that indices stay. A quote after a backslash begins no string, so
 * that no unclosed string is scanned twice.
 */
export function blankComments(text: string): string {
  return text.replace(
    /(?<!\\)"(?:\\.|[^"\\\n])*"|(?<!\\)'(?:\\.|[^'\\\n])*'|(?<!\\)`(?:\\[\s\S]|[^`\\])*`|(?<!\\)\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (found) => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found),
  );
}

interface Part {
  text: string;
  at: number;
}

/** Finds the value after a key, up to the comma or bracket that ends it. */
export function findValue(code: string, key: RegExp): Part | undefined {
  if (!key.exec(code)) return undefined;
  const at = key.lastIndex;
  return { text: code.slice(at, findEnd(code, at)).trimEnd(), at };
}

/** Index of the next comma or closing bracket that isn't in brackets or a string. */
function findEnd(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    const sign = code.charAt(at);
    if (`"'\``.includes(sign)) at = findStringEnd(code, at);
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign) && --depth < 0) return at;
    else if (sign === ',' && depth === 0) return at;
  }
  return code.length;
}

function findStringEnd(code: string, from: number): number {
  let at = from + 1;
  while (at < code.length && code[at] !== code[from]) at += code[at] === '\\' ? 2 : 1;
  return at;
}

/** Splits an object or array literal into its items; undefined for other expressions. */
function splitItems(literal: string): Part[] | undefined {
  if (!/^[{[][\s\S]*[\]}]$/.test(literal)) return undefined;
  const items: Part[] = [];
  for (let at = 1; at < literal.length - 1;) {
    const end = findEnd(literal, at);
    const text = literal.slice(at, end);
    if (text.trim() !== '')
      items.push({ text: text.trim(), at: at + text.length - text.trimStart().length });
    at = end + 1;
  }
  return items;
}

/** `'@': '/src'` or `{ find: '@', replacement: '/src' }`; undefined if it isn't readable. */
function readAlias(path: string, item: string): ImportAlias[] | undefined {
  const parts = item.startsWith('{')
    ? {
        find: findValue(item, /(?<![\w.])find\s*:\s*/g)?.text,
        to: findValue(item, /(?<![\w.])replacement\s*:\s*/g)?.text,
      }
    : splitEntry(item);
  const find = readFind(parts.find ?? '');
  const to = readReplacement(path, parts.to ?? '');
  if (find === undefined || to === undefined) return undefined;
  if (find.isPrefix) return [{ find: `${find.text}*`, targets: [`${to}*`] }];
  return [
    { find: find.text, targets: [to] },
    { find: `${find.text.replace(/\/$/, '')}/*`, targets: [`${to.replace(/\/$/, '')}/*`] },
  ];
}

function splitEntry(item: string): { find?: string | undefined; to?: string | undefined } {
  const [, find, to] = /^(["'][^"']*["']|[\w$]+)\s*:\s*([\s\S]+)$/.exec(item) ?? [];
  return { find, to };
}

/** `'@'`, `name`, or `/^@\//`, which matches the start of a specifier. */
function readFind(text: string): { text: string; isPrefix: boolean } | undefined {
  const [, quoted] = /^["']([^"'*]+)["']$/.exec(text) ?? [];
  if (quoted !== undefined) return { text: quoted, isPrefix: false };
  if (/^[\w$]+$/.test(text)) return { text, isPrefix: false };
  const [, expression] = /^\/\^((?:\\.|[\w@~#$-])+)\/$/.exec(text) ?? [];
  return expression === undefined
    ? undefined
    : { text: expression.replace(/\\(.)/g, '$1'), isPrefix: true };
}

/**
 * Returns the path or package that an alias stands for.
 * `path.resolve(__dirname, './src')`, `fileURLToPath(new URL('./src', import.meta.url))` → "/src";
 * `'/src'` → "/src"; `'preact/compat'` → itself
 */
function readReplacement(path: string, value: string): string | undefined {
  const strings = [...value.matchAll(/(["'`])((?:(?!\1)[^\\$])*)\1/g)].map(
    ([, , text = '']) => text,
  );
  const quoted = /^(["'`])(?:(?!\1)[^\\$])*\1$/.test(value) ? strings[0] : undefined;
  if (quoted !== undefined)
    return /^\.{1,2}\//.test(quoted) ? `/${resolvePath(path, quoted) ?? ''}` : quoted;
  const template = /^`\$\{(?:__dirname|import\.meta\.dirname)\}([^`$]*)`$/.exec(value)?.[1];
  if (template !== undefined) return `/${resolvePath(path, `.${template}`) ?? ''}`;
  if (!isPathCall(value) || value.includes('${')) return undefined;
  return `/${resolvePath(path, strings.join('/')) ?? ''}`;
}

/** Functions that make a path from the folder of the file and names. */
const pathFunctions =
  /^(?:(?:path\.|path\.posix\.)?(?:resolve|join)|(?:url\.)?fileURLToPath|URL|process\.cwd)$/;

function isPathCall(value: string): boolean {
  const called = [...value.matchAll(/(?<![\w$.])([\w$.]+)\s*\(/g)].map(([, name = '']) => name);
  return called.length > 0 && called.every((name) => pathFunctions.test(name));
}
