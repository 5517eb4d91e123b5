/** A package's script before esbuild reads it: what only a bundler or Node would have given it. */
import { parse } from 'es-module-lexer';

export function prepareScript(text: string, path: string, commonjs: boolean): string {
  const own = dropSourceMap(text);
  const placed = own.includes('import.meta') ? placeMetaUrl(own, path) : own;
  const shebang = /^#!.*/.exec(placed)?.[0] ?? '';
  return globalImports(placed, commonjs) + placed.slice(shebang.length);
}

/** A source map is made from the files themselves: what a comment points at is not read. */
function dropSourceMap(text: string): string {
  return text.replaceAll(/([#@])(\s*)sourceMappingURL=/g, '$1$2sourceMappingNot=');
}

/**
 * `import.meta.url` is the address of the file as it was published, beside which its wasm, fonts and
 * workers are; bundled, it would be that of a chunk.
 */
function placeMetaUrl(text: string, path: string): string {
  const address = `new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href`;
  let placed = '';
  let last = 0;
  for (const start of metaPositions(text)) {
    const member = /^import\.meta\.url\b/.exec(text.slice(start, start + 20));
    if (!member) continue;
    placed += `${text.slice(last, start)}${address}`;
    last = start + member[0].length;
  }
  return placeWorkers(placed + text.slice(last));
}

function metaPositions(text: string): number[] {
  try {
    return parse(text)[0].flatMap((item) => (item.type === 'import-meta' ? [item.start] : []));
  } catch {
    return [];
  }
}

/** A worker of another origin is refused by browsers: ours begins as a blob that imports it. */
function placeWorkers(text: string): string {
  if (!/\bnew Worker\(/.test(text) || /\b(?:import|class|function)\b[^;\n]*\bWorker\b/.test(text))
    return text;
  const placed = text.replaceAll(/\bnew Worker\(/g, 'new VitrineWorker(');
  return `import { VitrineWorker } from "vitrine:worker";${placed}`;
}

/** `use` is what follows a name that is used. `process(` is no call of it but a method of that name. */
const globals = [
  {
    name: 'process',
    module: 'node:process',
    member: 'default',
    use: String.raw`\.(?!env\b|browser\b)\w`,
  },
  { name: 'Buffer', module: 'node:buffer', member: 'Buffer', use: String.raw`(?:\.\w|\()` },
  { name: 'setImmediate', module: 'node:timers', member: 'setImmediate', use: String.raw`\(` },
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
  const used = new RegExp(String.raw`(?<![.\w$"'])${name}${use}`);
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
