/** What a specifier inside a package means: a file of it, another package, a Node built-in, nothing. */
import type { PackageMode } from '@vitrine/project';
import { packageNameOf } from '@vitrine/project/npm-lock';
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { conditionsOf, resolveExports, resolveImports } from './exports-field.ts';
import { findFile, findMain, findRelative, type PackageFiles } from './package-files.ts';

export type Resolved =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly specifier: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'missing' };

type How = 'import' | 'require';

const builtins = new Set(builtinModules.filter((name) => !name.startsWith('_')));

export function resolveSpecifier(
  files: PackageFiles,
  mode: PackageMode,
  importer: string,
  specifier: string,
  how: How,
): Resolved {
  if (/^[a-z][a-z+.-]+:/i.test(specifier) && !specifier.startsWith('node:')) {
    return { kind: 'address', address: specifier };
  }
  if (specifier.startsWith('#')) return resolveInternal(files, mode, importer, specifier, how);
  if (/^\.{0,2}(?:\/|$)/.test(specifier)) return resolvePath(files, importer, specifier);
  return resolveBare(files, mode, specifier, how);
}

/** The file that `NAME` ('.') or `NAME/SUBPATH` ('./SUBPATH') means, as seen from outside. */
export function resolveSubpath(
  files: PackageFiles,
  mode: PackageMode,
  subpath: string,
  how: How = 'import',
): string | undefined {
  const { json } = files;
  if (json.exports !== undefined) {
    const target = resolveExports(json.exports, subpath, conditionsOf(mode, how));
    return target && mapForBrowser(files, findFile(files, target));
  }
  const file = subpath === '.' ? findMain(files, json, '') : findFile(files, subpath.slice(2));
  return mapForBrowser(files, file);
}

function resolvePath(files: PackageFiles, importer: string, specifier: string): Resolved {
  const direct = posix.join(posix.dirname(importer), specifier);
  const mapped = lookUp(files, `./${direct}`);
  if (mapped === false) return { kind: 'empty' };
  const found = mapped === undefined ? findRelative(files, importer, specifier) : mapped;
  const path = mapForBrowser(files, found);
  if (path !== undefined) return { kind: 'file', path };
  return found === undefined ? { kind: 'missing' } : { kind: 'empty' };
}

function resolveInternal(
  files: PackageFiles,
  mode: PackageMode,
  importer: string,
  specifier: string,
  how: How,
): Resolved {
  const target = resolveImports(files.json.imports, specifier, conditionsOf(mode, how));
  if (target === undefined) return { kind: 'missing' };
  return target.startsWith('./')
    ? resolvePath(files, 'package.json', target)
    : resolveBare(files, mode, target, how);
}

function resolveBare(
  files: PackageFiles,
  mode: PackageMode,
  specifier: string,
  how: How,
): Resolved {
  const mapped = files.json.browserMap.get(specifier);
  if (mapped === false) return { kind: 'empty' };
  if (mapped?.startsWith('.')) return resolvePath(files, 'package.json', mapped);
  const wanted = mapped ?? specifier;
  const name = packageNameOf(wanted) ?? wanted;
  if (name === files.json.name) {
    const path = resolveSubpath(files, mode, `.${wanted.slice(name.length)}`, how);
    return path === undefined ? { kind: 'missing' } : { kind: 'file', path };
  }
  return { kind: 'package', specifier: builtinOr(files, wanted, name) };
}

/** 'buffer' → 'node:buffer', unless the package depends on the npm package of that name. */
function builtinOr(files: PackageFiles, specifier: string, name: string): string {
  const plain = specifier.replace(/^node:/, '').replace(/\/$/, '');
  const isBuiltin = builtins.has(plain) && !files.json.dependencies.has(name);
  return isBuiltin || specifier.startsWith('node:') ? `node:${plain}` : specifier;
}

/** A file after the `browser` map: './a.js' → './a.browser.js'; undefined where the map says false. */
function mapForBrowser(files: PackageFiles, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const mapped = lookUp(files, `./${path}`);
  return mapped === false ? undefined : (mapped ?? path);
}

function lookUp(files: PackageFiles, path: string): string | false | undefined {
  const map = files.json.browserMap;
  if (map.size === 0) return undefined;
  for (const key of [
    path,
    path.slice(2),
    path.replace(/\.js$/, ''),
    `${path}.js`,
    `${path}/index.js`,
  ]) {
    const to = map.get(key);
    if (to === false) return false;
    if (to?.startsWith('.')) return findFile(files, to);
  }
  return undefined;
}
