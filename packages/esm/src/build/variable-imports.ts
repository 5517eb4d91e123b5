/*
 * Expands specifiers that a script computes: `import(`./locales/${name}.js`)`,
 * `require("./parsers/" + kind)`. Like bundlers do, it looks up which files may match, and replaces
 * the call with a table of them. esbuild would look for the files on disk, so it must not see the
 * original call.
 *
 *   import(`./locales/${name}.js`)
 *   → vitrineFind({ "./locales/de.js": () => import("./locales/de.js"), … }, `./locales/${name}.js`)()
 */
import { parse } from 'es-module-lexer';
import { posix } from 'node:path';
import type { PackageFiles } from './package-files.ts';

/** Maximum number of matching files. A specifier that matches more could mean the whole package. */
const maxFiles = 300;

const loadable = /\.(?:[cm]?js|jsx|ts|tsx|json|css|svelte)$/;
const excludedFiles = /\.d\.[cm]?ts$|\.min\.[cm]?js$|\.(?:test|spec)\.[cm]?[jt]sx?$/;

interface Call {
  /** Offsets of the whole `import(…)` or `require(…)`. */
  readonly start: number;
  readonly end: number;
  /** Text between the parentheses. */
  readonly argument: string;
  readonly how: 'import' | 'require';
}

/** Returns the text with its computed imports replaced. */
export function expandVariableImports(
  files: PackageFiles,
  text: string,
  path: string,
  commonjs: boolean,
): string {
  const calls = [...findImports(text), ...(commonjs ? findRequires(text) : [])];
  let replaced = '';
  let last = 0;
  for (const { start, end, argument, how } of calls.toSorted((a, b) => a.start - b.start)) {
    const parts = start < last ? undefined : readParts(argument);
    if (parts === undefined) continue;
    const rows = listMatchingFiles(files, path, parts).map((specifier) => {
      const quoted = JSON.stringify(specifier);
      return `${quoted}: () => ${how}(${quoted})`;
    });
    replaced += `${text.slice(last, start)}vitrineFind({ ${rows.join(', ')} }, ${argument}, ${how === 'import'})`;
    last = end;
  }
  return replaced === '' ? text : replaced + text.slice(last) + lookupFunction;
}

/**
 * Runtime lookup, with the extensions that `require` would add. A missing file is an error when it
 * is imported.
 */
const lookupFunction = `
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
    // JSX or TypeScript that the lexer doesn't support: its computed imports are not found.
    return [];
  }
}

function findRequires(text: string): Call[] {
  return [...text.matchAll(/(?<![\w$.])require\((?=\s*[`"'])/g)].flatMap(({ index, 0: head }) => {
    const start = index + head.length;
    const end = findClosingBracket(text, start);
    const argument = text.slice(start, end);
    return [{ start: index, end: end + 1, argument, how: 'require' as const }];
  });
}

/** Literal parts of a relative specifier, between which anything may be: ['./locales/', '.js']. */
function readParts(argument: string): string[] | undefined {
  const plain = argument.replaceAll(/\/\*[^]*?\*\//g, '').trim();
  if (!/^[`"']\.{1,2}\//.test(plain)) return undefined;
  const parts = [''];
  let hasGap = false;
  for (let at = 0; at < plain.length;) {
    const quote = plain[at] ?? '';
    if (!/[`"']/.test(quote)) {
      // Not a literal: a variable, or a call with its arguments.
      if (!/[\s+]/.test(quote) && !hasGap) hasGap = true;
      at = /[([{]/.test(quote) ? findClosingBracket(plain, at + 1) + 1 : at + 1;
      continue;
    }
    const end = findClosingQuote(plain, at);
    const literal = plain.slice(at + 1, end);
    const pieces = quote === '`' ? splitTemplate(literal) : [literal];
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) hasGap = true;
      if (hasGap) parts.push(piece);
      else parts[parts.length - 1] += piece;
      hasGap = false;
    }
    at = end + 1;
  }
  if (hasGap) parts.push('');
  return parts.length > 1 ? parts : undefined;
}

/** 'a${b}c' → ['a', 'c'] */
function splitTemplate(literal: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = literal.indexOf('${'); at >= 0; at = literal.indexOf('${', from)) {
    pieces.push(literal.slice(from, at));
    from = findClosingBracket(literal, at + 2) + 1;
  }
  return [...pieces, literal.slice(from)];
}

/** Offset of the closing bracket that matches the one before `start`. */
function findClosingBracket(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const here = text[at] ?? '';
    if (/[`"']/.test(here)) at = findClosingQuote(text, at);
    else if (/[([{]/.test(here)) depth += 1;
    else if (/[)\]}]/.test(here) && --depth === 0) return at;
  }
  return text.length;
}

/** Offset of the closing quote of the literal that starts at `start`. */
function findClosingQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (quote === '`' && text.startsWith('${', at)) at = findClosingBracket(text, at + 2);
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** Specifiers, relative to `path`, of all files that match the parts. */
function listMatchingFiles(files: PackageFiles, path: string, parts: readonly string[]): string[] {
  const [head = '', ...rest] = parts;
  // './a/b' → all files in ./a that start with b
  const written = head.slice(0, head.lastIndexOf('/') + 1);
  const folder = posix.join(posix.dirname(path), written);
  const escaped = [head.slice(written.length), ...rest].map((part) =>
    part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
  );
  const last = escaped.at(-1) ?? '';
  const extension = loadable.test(parts.at(-1) ?? '') || last === '' ? '' : '(?:/index)?\\.\\w+';
  const pattern = new RegExp(`^${escaped.join('.*')}${extension}$`);
  const prefix = folder === './' || folder === '.' ? '' : folder;
  const matching = [...files.sizes.keys()].filter(
    (file) =>
      file.startsWith(prefix) &&
      loadable.test(file) &&
      !excludedFiles.test(file) &&
      file !== path &&
      pattern.test(file.slice(prefix.length)),
  );
  return matching.length > maxFiles
    ? []
    : matching.map((file) => written + file.slice(prefix.length));
}
