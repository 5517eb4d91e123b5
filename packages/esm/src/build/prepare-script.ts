/** Prepares a package's script for esbuild: replaces what only a bundler or Node would provide. */
import { parse } from 'es-module-lexer';
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { expandVariableImports } from './variable-imports.ts';
import type { BuildSubject } from './build-subject.ts';

/** Returns the text of a script for the build. */
export function prepareScript(
  { files, reader, mode }: Pick<BuildSubject, 'files' | 'reader' | 'mode'>,
  path: string,
): string {
  const commonjs = reader.isCommonjs(path);
  const text = dropSourceMap(files.readText(path).replace(/^#!.*/, ''));
  const expanded = expandVariableImports(files, text, path, commonjs);
  const replaced = commonjs
    ? replaceCurrentScript(expanded, path)
    : replaceImportMeta(expanded, path, mode);
  return writeGlobalImports(replaced, commonjs) + replaced;
}

/**
 * Disables source map comments. Source maps are made from the files themselves, so the named file
 * must not be read.
 */
function dropSourceMap(text: string): string {
  return text.replaceAll(/([#@])(\s*)sourceMappingURL=/g, '$1$2sourceMappingNot=');
}

/**
 * Replaces `import.meta.url` with the URL of the published file, next to which its wasm files,
 * fonts and workers are; in a bundle it would be the URL of a chunk. `import.meta.env` gets Vite's
 * values.
 */
function replaceImportMeta(text: string, path: string, mode: PackageMode): string {
  if (!text.includes('import.meta')) return text;
  const isProduction = mode === 'production';
  const values: Readonly<Record<string, string>> = {
    url: `new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href`,
    env: `({ MODE: "${mode}", DEV: ${!isProduction}, PROD: ${isProduction}, SSR: false, BASE_URL: "/" })`,
  };
  let replaced = '';
  let last = 0;
  for (const start of metaPositions(text)) {
    const member = /^import\.meta\.(url|env)\b/.exec(text.slice(start, start + 20));
    if (!member) continue;
    replaced += `${text.slice(last, start)}${values[member[1] ?? '']}`;
    last = start + member[0].length;
  }
  return replaceWorkers(replaced + text.slice(last), 'module');
}

/**
 * Replaces `document.currentScript`. Scripts find files next to them (wasm, workers) by its `src`,
 * but it is null in modules, so they get an element with the URL of the published file.
 */
function replaceCurrentScript(text: string, path: string): string {
  if (!/\bcurrentScript\b[^;]{0,200}\bsrc\b/.test(text)) return text;
  const replaced = text.replaceAll(
    /(?<![\w$.])(?:[\w$]+\??\.)+currentScript\b(?!\s*(?:=[^=]|\())/g,
    'vitrineScript',
  );
  const address = JSON.stringify(`vitrine-base:/-/${encodeURI(path)}`);
  const own = `var vitrineScript = require("vitrine:script").scriptAt(${address});`;
  return own + replaceWorkers(replaced, 'commonjs');
}

function metaPositions(text: string): number[] {
  try {
    return parse(text)[0].flatMap((item) => (item.type === 'import-meta' ? [item.start] : []));
  } catch {
    return [];
  }
}

/**
 * Replaces `Worker` and `SharedWorker`. Browsers reject worker scripts of another origin, so the
 * replacements start with a blob that imports the script.
 */
function replaceWorkers(text: string, format: 'module' | 'commonjs'): string {
  const names = ['Worker', 'SharedWorker'].filter(
    (name) => text.includes(`new ${name}(`) && !declaresWorker(text, name),
  );
  if (names.length === 0) return text;
  const replaced = text.replaceAll(
    new RegExp(String.raw`\bnew (${names.join('|')})\(`, 'g'),
    'new Vitrine$1(',
  );
  const list = names.map((name) => `Vitrine${name}`).join(', ');
  return format === 'module'
    ? `import { ${list} } from "vitrine:worker";${replaced}`
    : `var { ${list} } = require("vitrine:worker");${replaced}`;
}

function declaresWorker(text: string, name: string): boolean {
  const declared = String.raw`\b(?:class|function|var|let|const)\s+${name}\b`;
  const imported = String.raw`\bimport\b[^;\n'"]*\b${name}\b[^;\n'"]*\bfrom\b`;
  return new RegExp(`${declared}|${imported}`).test(text);
}

/**
 * Globals of Node. `use` is a regular expression for uses of NAME that aren't declarations;
 * `process(` is not among them, because it is usually a method named `process`.
 */
const globals = [
  {
    name: 'process',
    module: 'node:process',
    member: 'default',
    use: String.raw`NAME(?:\.(?!env\b|browser\b)\w|\[)|\}\s*=\s*NAME\b(?!\.)`,
  },
  {
    name: 'Buffer',
    module: 'node:buffer',
    member: 'Buffer',
    use: String.raw`NAME(?:\.\w|\()|\binstanceof\s+NAME\b`,
  },
  { name: 'setImmediate', module: 'node:timers', member: 'setImmediate', use: String.raw`NAME\(` },
  {
    name: 'clearImmediate',
    module: 'node:timers',
    member: 'clearImmediate',
    use: String.raw`NAME\(`,
  },
] as const;

/**
 * Imports for the Node globals that a script uses without checking that they exist. A script that
 * checks finds none, as in any browser. `process.env` is replaced by esbuild and doesn't count.
 */
function writeGlobalImports(text: string, commonjs: boolean): string {
  const used = globals.filter(({ name, use }) => usesUnchecked(text, name, use));
  return used
    .map(({ name, module, member }) =>
      commonjs
        ? `var ${name} = require("${module}")${member === 'default' ? '' : `.${member}`};`
        : `import { ${member} as ${name} } from "${module}";`,
    )
    .join('');
}

function usesUnchecked(text: string, name: string, use: string): boolean {
  if (!text.includes(name)) return false;
  const used = new RegExp(use.replaceAll('NAME', String.raw`(?<![.\w$"'])${name}`));
  return used.test(text) && !declares(text, name);
}

/**
 * Whether a script checks for a global (`typeof process`) or declares a variable of the same name.
 */
function declares(text: string, name: string): boolean {
  return new RegExp(
    [
      String.raw`typeof ${name}\b`,
      String.raw`\b(?:var|let|const|function|class|import|as)\s+${name}\b`,
      String.raw`[,{(*]\s*${name}\s*[,})=]`,
      String.raw`\b(?:globalThis|window|self|global)\.${name}\b`,
      String.raw`(?<![.\w$])${name}\s*=[^=]`,
    ].join('|'),
  ).test(text);
}
