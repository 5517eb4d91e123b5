import { findServedFile } from '@vitrine/project';
import { resolvePath } from './resolve-path.ts';

/** Extensions tried for a path without one, in the order of bundlers. */
const extensions = ['.tsx', '.ts', '.jsx', '.js', '.mjs', '.mts'];
/** In TypeScript, imports may name the output file: `./a.js` may be `a.ts`. */
const sourceExtensions: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
};

/**
 * Resolves an imported path to a file of the project. In "src/main.ts": "./App" → "src/App.tsx",
 * "../lib" → "lib/index.ts", "./a.js" → "src/a.js" or else "src/a.ts".
 */
export function findModule(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | undefined {
  const path = resolvePath(from, specifier)?.replace(/\/$/, '');
  // "." and "/" are the folder of the file itself and of the project.
  if (path === undefined) return isPathSpecifier(specifier) ? findIndex('', exists) : undefined;
  if (exists(path)) return path;
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - ending.length);
  const candidates = [
    ...extensions.map((added) => path + added),
    ...(sourceExtensions[ending] ?? []).map((other) => stem + other),
  ];
  return candidates.find(exists) ?? findIndex(`${path}/`, exists) ?? findServedFile(path, exists);
}

function findIndex(folder: string, exists: (path: string) => boolean): string | undefined {
  return extensions.map((ending) => `${folder}index${ending}`).find(exists);
}

/** Whether a specifier is a path, such as "./a", "../a" or "/a". */
export function isPathSpecifier(specifier: string): boolean {
  return /^\.{0,2}\/|^\.{1,2}$/.test(specifier) && !specifier.startsWith('//');
}

/**
 * Specifier of a package's file that a URL in `node_modules` names: "../node_modules/a/b.css" in
 * "src/x.css" → "a/b.css". Undefined for other URLs.
 */
export function findNodeModulesSpecifier(from: string, url: string): string | undefined {
  return /^node_modules\/((?:@[^/]+\/)?[^/@]+\/.+)$/.exec(resolvePath(from, url) ?? '')?.[1];
}

/** Whether a specifier names a package: neither a path nor a URL nor `#name`. */
export function isPackageSpecifier(specifier: string): boolean {
  return (
    specifier !== '' &&
    !isPathSpecifier(specifier) &&
    !/^(?:#|\/\/|[a-z][a-z0-9+.-]*:)/i.test(specifier)
  );
}
