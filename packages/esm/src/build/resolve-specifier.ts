/**
 * Resolves specifiers inside of a package: to a file, another package, a Node built-in module, or
 * nothing.
 */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { parsePackageName } from '../lockfile/lockfile.ts';
import { conditionsOf, resolveExports, resolveImports } from './exports-field.ts';
import { findFile, findMain, findRelative, type PackageFiles } from './package-files.ts';

/** Result of a resolution. `empty` is an empty module, `url` an absolute URL. */
export type Resolved =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly specifier: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'missing' };

type ImportKind = 'import' | 'require';

const imported = ['import', 'require', 'style'] as const;
const required = ['require', 'import'] as const;

const builtins = new Set(builtinModules.filter((name) => !name.startsWith('_')));

/** Resolves a specifier in the file `importer` of the package. */
export function resolveSpecifier(
  files: PackageFiles,
  mode: PackageMode,
  importer: string,
  specifier: string,
  how: ImportKind,
): Resolved {
  if (/^[a-z][a-z+.-]+:/i.test(specifier) && !specifier.startsWith('node:')) {
    return { kind: 'url', url: specifier };
  }
  if (specifier.startsWith('#')) return resolveInternal(files, mode, importer, specifier, how);
  if (/^\.{0,2}(?:\/|$)/.test(specifier)) return resolvePath(files, importer, specifier);
  return resolveBare(files, mode, specifier, how);
}

/** File that `NAME` ('.') or `NAME/SUBPATH` ('./SUBPATH') resolves to for other packages. */
export function resolveSubpath(
  files: PackageFiles,
  mode: PackageMode,
  subpath: string,
  how: ImportKind = 'import',
): string | undefined {
  const { json } = files;
  if (json.exports !== undefined) {
    // Falls back to the other kinds when the subpath is exported for one kind only, or names an
    // unpublished file.
    for (const kind of how === 'import' ? imported : required) {
      const target = resolveExports(json.exports, subpath, conditionsOf(mode, kind));
      const file = target && findFile(files, target);
      if (file !== undefined) return applyBrowserMap(files, file);
    }
    return undefined;
  }
  const file = subpath === '.' ? findMain(files, json, '') : findFile(files, subpath.slice(2));
  return file && applyBrowserMap(files, file);
}

function resolvePath(files: PackageFiles, importer: string, specifier: string): Resolved {
  const mapped = findBrowserMapping(files, posix.join(posix.dirname(importer), specifier));
  if (mapped !== undefined) return mapped;
  const path = findRelative(files, importer, specifier);
  if (path === undefined) return { kind: 'missing' };
  return findBrowserMapping(files, path) ?? { kind: 'file', path };
}

function resolveInternal(
  files: PackageFiles,
  mode: PackageMode,
  importer: string,
  specifier: string,
  how: ImportKind,
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
  how: ImportKind,
): Resolved {
  const mapped = files.json.browserMap.get(specifier);
  if (mapped === false) return { kind: 'empty' };
  if (mapped?.startsWith('.')) return resolvePath(files, 'package.json', mapped);
  const wanted = mapped ?? specifier;
  const name = parsePackageName(wanted) ?? wanted;
  if (name === files.json.name) {
    const path = resolveSubpath(files, mode, `.${wanted.slice(name.length)}`, how);
    return path === undefined ? { kind: 'missing' } : { kind: 'file', path };
  }
  return { kind: 'package', specifier: toBuiltinSpecifier(files, wanted, name) };
}

/**
 * 'buffer' → 'node:buffer', unless the package depends on the npm package of that name. 'buffer/',
 * which Node always resolves to the npm package, is treated in the same way.
 */
function toBuiltinSpecifier(files: PackageFiles, specifier: string, name: string): string {
  const written = specifier.replace(/\/$/, '');
  const plain = written.replace(/^node:/, '');
  const isBuiltin = builtins.has(plain) && !files.json.dependencies.has(name);
  return isBuiltin || written.startsWith('node:') ? `node:${plain}` : written;
}

/**
 * Applies the `browser` map to a file: 'a.js' → 'a.browser.js'. Undefined when the map replaces it
 * with something that isn't a file.
 */
function applyBrowserMap(files: PackageFiles, path: string): string | undefined {
  const mapped = findBrowserMapping(files, path) ?? { kind: 'file', path };
  return mapped.kind === 'file' ? mapped.path : undefined;
}

/** Replacement of a path in the `browser` map: another file, a package, or an empty module. */
function findBrowserMapping(files: PackageFiles, path: string): Resolved | undefined {
  const map = files.json.browserMap;
  if (map.size === 0) return undefined;
  const bare = path.replace(/\.js$/, '');
  const forms = [path, bare, `${path}.js`, `${path}/index.js`];
  // Without './', 'util' is the package and 'util.js' the file.
  const plain = forms.filter((form) => /[./]/.test(form));
  for (const key of [...forms.map((form) => `./${form}`), ...plain]) {
    const to = map.get(key);
    if (to === undefined) continue;
    if (to === false) return { kind: 'empty' };
    const file = findFile(files, to);
    if (file !== undefined) return { kind: 'file', path: file };
    const name = parsePackageName(to);
    if (name !== undefined)
      return { kind: 'package', specifier: toBuiltinSpecifier(files, to, name) };
  }
  return undefined;
}
