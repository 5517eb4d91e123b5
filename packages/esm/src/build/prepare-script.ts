/** A package's script before esbuild reads it: what only a bundler or Node would have given it. */
import type { PackageMode } from '@vitrine/project';
import { parse } from 'es-module-lexer';
import type { BuildSubject } from './plugin.ts';
import { placeVariableImports } from './variable-imports.ts';

export function prepareScript(
  { files, reader, mode }: Pick<BuildSubject, 'files' | 'reader' | 'mode'>,
  path: string,
): string {
  const commonjs = reader.isCommonjs(path);
  const text = dropSourceMap(files.readText(path).replace(/^#!.*/, ''));
  const found = placeVariableImports(files, text, path, commonjs);
  const placed = commonjs ? placeOwnScript(found, path) : placeMeta(found, path, mode);
  return globalImports(placed, commonjs) + placed;
}

/** A source map is made from the files themselves: what a comment points at is not read. */
function dropSourceMap(text: string): string {
  return text.replaceAll(/([#@])(\s*)sourceMappingURL=/g, '$1$2sourceMappingNot=');
}

/**
 * `import.meta.url` is the address of the file as it was published, beside which its wasm, fonts and
 * workers are; bundled, it would be that of a chunk. `import.meta.env` is what Vite would put there.
 */
function placeMeta(text: string, path: string, mode: PackageMode): string {
  if (!text.includes('import.meta')) return text;
  const isProduction = mode === 'production';
  const values: Readonly<Record<string, string>> = {
    url: `new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href`,
    env: `({ MODE: "${mode}", DEV: ${!isProduction}, PROD: ${isProduction}, SSR: false, BASE_URL: "/" })`,
  };
  let placed = '';
  let last = 0;
  for (const start of metaPositions(text)) {
    const member = /^import\.meta\.(url|env)\b/.exec(text.slice(start, start + 20));
    if (!member) continue;
    placed += `${text.slice(last, start)}${values[member[1] ?? '']}`;
    last = start + member[0].length;
  }
  return placeWorkers(placed + text.slice(last), 'module');
}

/**
 * Scripts find what stands beside them (wasm, workers) by the `src` of their own element, which no
 * module has: they are given one with the address of the file as it was published.
 */
function placeOwnScript(text: string, path: string): string {
  if (!/\bcurrentScript\b[^;]{0,200}\bsrc\b/.test(text)) return text;
  const placed = text.replaceAll(
    /(?<![\w$.])(?:[\w$]+\??\.)+currentScript\b(?!\s*(?:=[^=]|\())/g,
    'vitrineScript',
  );
  const address = JSON.stringify(`vitrine-base:/-/${encodeURI(path)}`);
  const own = `var vitrineScript = require("vitrine:script").scriptAt(${address});`;
  return own + placeWorkers(placed, 'commonjs');
}

function metaPositions(text: string): number[] {
  try {
    return parse(text)[0].flatMap((item) => (item.type === 'import-meta' ? [item.start] : []));
  } catch {
    return [];
  }
}

/** A worker of another origin is refused by browsers: ours begins as a line that imports it. */
function placeWorkers(text: string, format: 'module' | 'commonjs'): string {
  const names = ['Worker', 'SharedWorker'].filter(
    (name) => text.includes(`new ${name}(`) && !hasOwnWorker(text, name),
  );
  if (names.length === 0) return text;
  const placed = text.replaceAll(
    new RegExp(String.raw`\bnew (${names.join('|')})\(`, 'g'),
    'new Vitrine$1(',
  );
  const list = names.map((name) => `Vitrine${name}`).join(', ');
  return format === 'module'
    ? `import { ${list} } from "vitrine:worker";${placed}`
    : `var { ${list} } = require("vitrine:worker");${placed}`;
}

function hasOwnWorker(text: string, name: string): boolean {
  const declared = String.raw`\b(?:class|function|var|let|const)\s+${name}\b`;
  const imported = String.raw`\bimport\b[^;\n'"]*\b${name}\b[^;\n'"]*\bfrom\b`;
  return new RegExp(`${declared}|${imported}`).test(text);
}

/**
 * `use` is how a name is used that is there. `process(` is no call of it but a method of that name.
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
 * Globals of Node that a script uses without asking whether they exist. One that asks is left to
 * find none, as in any browser. `process.env` is replaced elsewhere and does not count.
 */
function globalImports(text: string, commonjs: boolean): string {
  const used = globals.filter(({ name, use }) => usesUnasked(text, name, use));
  return used
    .map(({ name, module, member }) =>
      commonjs
        ? `var ${name} = require("${module}")${member === 'default' ? '' : `.${member}`};`
        : `import { ${member} as ${name} } from "${module}";`,
    )
    .join('');
}

function usesUnasked(text: string, name: string, use: string): boolean {
  if (!text.includes(name)) return false;
  const used = new RegExp(use.replaceAll('NAME', String.raw`(?<![.\w$"'])${name}`));
  return used.test(text) && !declares(text, name);
}

/** Whether a script asks for a global (`typeof process`) or has something of its own by that name. */
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
