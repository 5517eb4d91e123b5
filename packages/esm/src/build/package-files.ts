/*
 * The files of one unpacked package, and path resolution within it. Only here does the builder read
 * files or find out whether they exist. Paths are relative to the package, separated by '/', and
 * taken from a list of the folder's content, so that no specifier can name a file outside of it.
 */
import { parse } from 'es-module-lexer';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { posix } from 'node:path';
import { parsePackageJson, type PackageJson } from './package-json.ts';

export interface PackageFiles {
  readonly json: PackageJson;
  /** Path → bytes, for every regular file. */
  readonly sizes: ReadonlyMap<string, number>;
  readText(path: string): string;
  readBytes(path: string): Uint8Array<ArrayBuffer>;
}

const extensions = ['.mjs', '.js', '.cjs', '.json', '.ts', '.tsx', '.jsx', '.css', '.wasm'];

/**
 * Lists the files in the folder of an unpacked package.
 *
 * @throws Error when it has no package.json, or an invalid one.
 */
export function openPackageFiles(folder: string): PackageFiles {
  const sizes = new Map<string, number>();
  walk(folder, '', sizes);
  const readBytes = (path: string) => {
    if (!sizes.has(path)) throw new Error(`No such file in the package: ${path}`);
    return new Uint8Array(readFileSync(join(folder, path)));
  };
  const readText = (path: string) => new TextDecoder().decode(readBytes(path));
  if (!sizes.has('package.json')) throw new Error('The package has no package.json');
  return { json: parsePackageJson(readText('package.json')), sizes, readText, readBytes };
}

function walk(folder: string, prefix: string, sizes: Map<string, number>): void {
  for (const name of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix + name;
    // Bundled dependencies are resolved like all others.
    if (path === 'node_modules') continue;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) walk(folder, `${path}/`, sizes);
    else if (stat.isFile()) sizes.set(path, stat.size);
  }
}

/**
 * Resolves a relative specifier: 'lib/a.js', '../b' → 'b.js'. Undefined when there is no such file.
 */
export function findRelative(files: PackageFiles, importer: string, specifier: string) {
  const plain = specifier.replace(/[?#].*$/, '');
  return findFile(files, posix.join(posix.dirname(importer), plain));
}

/**
 * Resolves a path as `require` does: a file, a file with an extension added, or a folder's main
 * file.
 */
export function findFile(files: PackageFiles, path: string): string | undefined {
  const clean = posix.normalize(path).replace(/^\.\/|\/$/g, '');
  if (clean.startsWith('..') || clean.startsWith('/')) return undefined;
  if (!path.endsWith('/') && clean !== '.' && clean !== '') {
    const file = findExact(files, clean);
    if (file !== undefined) return file;
  }
  return findFolderMain(files, clean === '.' ? '' : clean);
}

function findExact(files: PackageFiles, path: string): string | undefined {
  if (files.sizes.has(path)) return path;
  const added = extensions.map((extension) => path + extension);
  // TypeScript sources import './a.js' when the file is a.ts.
  const typescript = path.endsWith('.js') ? [`${path.slice(0, -3)}.ts`, `${path}x`] : [];
  return [...added, ...typescript].find((candidate) => files.sizes.has(candidate));
}

function findFolderMain(files: PackageFiles, folder: string): string | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  if (folder !== '' && files.sizes.has(`${prefix}package.json`)) {
    const json = parsePackageJson(files.readText(`${prefix}package.json`));
    const main = findMain(files, json, prefix);
    if (main !== undefined) return main;
  }
  return findExact(files, `${prefix}index`);
}

/**
 * Finds the main module of a package (or of a folder with a package.json) without `exports`. An ES
 * module takes precedence over a `browser` string, which in old packages names a bundle for script
 * elements. When both are ES modules, `browser` takes precedence, because `module` may be the one
 * for Node. A package of styles alone has its style sheet as main module.
 */
export function findMain(files: PackageFiles, json: PackageJson, prefix: string) {
  const find = (name: string | undefined) => {
    const file = name === undefined ? undefined : findFile(files, posix.join(prefix, name));
    return file !== undefined && isLoadable(file) ? file : undefined;
  };
  const browser = find(json.browserMain);
  const isBrowserModule = browser !== undefined && hasModuleSyntax(files.readText(browser));
  const [first, second] = isBrowserModule
    ? [browser, find(json.module)]
    : [find(json.module), browser];
  const found = find(json.svelte) ?? first ?? second ?? find(json.main);
  return found ?? findExact(files, `${prefix}index`) ?? find(json.style);
}

/** Whether browsers can load the file. Sass, Less and Stylus can't be loaded. */
function isLoadable(file: string): boolean {
  return !/\.(?:scss|sass|less|styl)$/.test(file);
}

function hasModuleSyntax(text: string): boolean {
  try {
    return parse(text)[3];
  } catch {
    // JSX or TypeScript, which isn't published for script elements.
    return true;
  }
}
