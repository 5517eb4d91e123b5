/**
 * Specifiers that a script puts together as it runs: `import(`./locales/${name}.js`)`,
 * `require("./parsers/" + kind)`. Bundlers look up which files may be meant, and so does this: the
 * call gets a table of them. esbuild would look for them on the disk, so it must see no such call.
 *
 *   import(`./locales/${name}.js`)
 *   → vitrineFind({ "./locales/de.js": () => import("./locales/de.js"), … }, `./locales/${name}.js`)()
 */
import { parse } from 'es-module-lexer';
import { posix } from 'node:path';
import type { PackageFiles } from './package-files.ts';

/** More files than this are no choice between a few but the whole package. */
const maxFiles = 300;

const loadable = /\.(?:[cm]?js|jsx|ts|tsx|json|css|svelte)$/;
const notMeant = /\.d\.[cm]?ts$|\.min\.[cm]?js$|\.(?:test|spec)\.[cm]?[jt]sx?$/;

interface Call {
  /** Of `import(…)` or `require(…)`, and of what stands between the parentheses. */
  readonly start: number;
  readonly end: number;
  readonly argument: string;
  readonly how: 'import' | 'require';
}

export function placeVariableImports(
  files: PackageFiles,
  text: string,
  path: string,
  commonjs: boolean,
): string {
  const calls = [...findImports(text), ...(commonjs ? findRequires(text) : [])];
  let placed = '';
  let last = 0;
  for (const { start, end, argument, how } of calls.toSorted((a, b) => a.start - b.start)) {
    const parts = start < last ? undefined : readParts(argument);
    if (parts === undefined) continue;
    const rows = listMeant(files, path, parts).map((specifier) => {
      const quoted = JSON.stringify(specifier);
      return `${quoted}: () => ${how}(${quoted})`;
    });
    placed += `${text.slice(last, start)}vitrineFind({ ${rows.join(', ')} }, ${argument}, ${how === 'import'})`;
    last = end;
  }
  return placed === '' ? text : placed + text.slice(last) + find;
}

/** Tries what `require` would add to a name. A file that is not there is an error when it is asked for. */
const find = `
function vitrineFind(files, name, isPromised) {
  const plain = String(name).replace(/[?#].*$/, "");
  for (const form of [plain, plain + ".js", plain + ".mjs", plain + ".json", plain + "/index.js"]) {
    if (Object.hasOwn(files, form)) return files[form]();
  }
  const error = Object.assign(new Error("Cannot find module '" + name + "'"), { code: "MODULE_NOT_FOUND" });
  if (isPromised) return Promise.reject(error);
  throw error;
}
`;

function findImports(text: string): Call[] {
  if (!/\bimport\s*\(/.test(text)) return [];
  try {
    return parse(text)[0].flatMap((item) =>
      item.type === 'dynamic' && (item.glob || item.specifier === undefined)
        ? [
            {
              start: item.importStart,
              end: item.importEnd,
              argument: text.slice(item.start, item.end),
              how: 'import' as const,
            },
          ]
        : [],
    );
  } catch {
    // JSX or TypeScript that the lexer does not know: what it imports by such names it will not find.
    return [];
  }
}

function findRequires(text: string): Call[] {
  return [...text.matchAll(/(?<![\w$.])require\((?=\s*[`"'])/g)].flatMap(({ index, 0: head }) => {
    const start = index + head.length;
    const end = findEnd(text, start);
    const argument = text.slice(start, end);
    return [{ start: index, end: end + 1, argument, how: 'require' as const }];
  });
}

/** The literal parts of a relative specifier, with anything between two: ['./locales/', '.js']. */
function readParts(argument: string): string[] | undefined {
  const plain = argument.replaceAll(/\/\*[^]*?\*\//g, '').trim();
  if (!/^[`"']\.{1,2}\//.test(plain)) return undefined;
  const parts = [''];
  let isOpen = false;
  for (let at = 0; at < plain.length; ) {
    const quote = plain[at] ?? '';
    if (!/[`"']/.test(quote)) {
      // Something else than a literal: a variable, a call with all that it is called with.
      if (!/[\s+]/.test(quote) && !isOpen) isOpen = true;
      at = /[([{]/.test(quote) ? findEnd(plain, at + 1) + 1 : at + 1;
      continue;
    }
    const end = findQuote(plain, at);
    const literal = plain.slice(at + 1, end);
    const pieces = quote === '`' ? splitTemplate(literal) : [literal];
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) isOpen = true;
      if (isOpen) parts.push(piece);
      else parts[parts.length - 1] += piece;
      isOpen = false;
    }
    at = end + 1;
  }
  if (isOpen) parts.push('');
  return parts.length > 1 ? parts : undefined;
}

/** 'a${b}c' → ['a', 'c'] */
function splitTemplate(literal: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = literal.indexOf('${'); at >= 0; at = literal.indexOf('${', from)) {
    pieces.push(literal.slice(from, at));
    from = findEnd(literal, at + 2) + 1;
  }
  return [...pieces, literal.slice(from)];
}

/** Where the bracket closes that was opened before `start`. */
function findEnd(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const here = text[at] ?? '';
    if (/[`"']/.test(here)) at = findQuote(text, at);
    else if (/[([{]/.test(here)) depth += 1;
    else if (/[)\]}]/.test(here) && --depth === 0) return at;
  }
  return text.length;
}

/** Where the literal ends whose quote stands at `start`. */
function findQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (quote === '`' && text.startsWith('${', at)) at = findEnd(text, at + 2);
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** The specifiers, as written at `path`, of all files that the parts may be parts of. */
function listMeant(files: PackageFiles, path: string, parts: readonly string[]): string[] {
  const [head = '', ...rest] = parts;
  // './a/b' → all that begins with b in ./a
  const written = head.slice(0, head.lastIndexOf('/') + 1);
  const folder = posix.join(posix.dirname(path), written);
  const escaped = [head.slice(written.length), ...rest].map((part) =>
    part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
  );
  const last = escaped.at(-1) ?? '';
  const extension = loadable.test(parts.at(-1) ?? '') || last === '' ? '' : '(?:/index)?\\.\\w+';
  const pattern = new RegExp(`^${escaped.join('.*')}${extension}$`);
  const prefix = folder === './' || folder === '.' ? '' : folder;
  const meant = [...files.sizes.keys()].filter(
    (file) =>
      file.startsWith(prefix) &&
      loadable.test(file) &&
      !notMeant.test(file) &&
      file !== path &&
      pattern.test(file.slice(prefix.length)),
  );
  return meant.length > maxFiles ? [] : meant.map((file) => written + file.slice(prefix.length));
}
