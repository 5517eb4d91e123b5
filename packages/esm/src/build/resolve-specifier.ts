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

const imported = ['import', 'require', 'style'] as const;
const required = ['require', 'import'] as const;

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
    // What is exported for one way alone, or names a file that was not published, is had another way.
    for (const kind of how === 'import' ? imported : required) {
      const target = resolveExports(json.exports, subpath, conditionsOf(mode, kind));
      const file = target && findFile(files, target);
      if (file !== undefined) return mapForBrowser(files, file);
    }
    return undefined;
  }
  const file = subpath === '.' ? findMain(files, json, '') : findFile(files, subpath.slice(2));
  return file && mapForBrowser(files, file);
}

function resolvePath(files: PackageFiles, importer: string, specifier: string): Resolved {
  const mapped = lookUp(files, posix.join(posix.dirname(importer), specifier));
  if (mapped !== undefined) return mapped;
  const path = findRelative(files, importer, specifier);
  if (path === undefined) return { kind: 'missing' };
  return lookUp(files, path) ?? { kind: 'file', path };
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

/**
 * 'buffer' → 'node:buffer', unless the package depends on the npm package of that name; 'buffer/',
 * which to Node is never the built-in, is what is there too.
 */
function builtinOr(files: PackageFiles, specifier: string, name: string): string {
  const written = specifier.replace(/\/$/, '');
  const plain = written.replace(/^node:/, '');
  const isBuiltin = builtins.has(plain) && !files.json.dependencies.has(name);
  return isBuiltin || written.startsWith('node:') ? `node:${plain}` : written;
}

/** A file after the `browser` map: './a.js' → './a.browser.js'; undefined where the map has no file. */
function mapForBrowser(files: PackageFiles, path: string): string | undefined {
  const mapped = lookUp(files, path) ?? { kind: 'file', path };
  return mapped.kind === 'file' ? mapped.path : undefined;
}

/** What the `browser` map has for a path: another file, a package, nothing. */
function lookUp(files: PackageFiles, path: string): Resolved | undefined {
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
    const name = packageNameOf(to);
    if (name !== undefined) return { kind: 'package', specifier: builtinOr(files, to, name) };
  }
  return undefined;
}
