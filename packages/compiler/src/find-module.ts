import { resolvePath } from './resolve-path.ts';

/** What may stand behind a path without an ending, in the order in which bundlers look. */
const endings = ['.tsx', '.ts', '.jsx', '.js', '.mjs', '.mts'];
/** TypeScript writes the name of what a file becomes: `./a.js` may be `a.ts`. */
const sources: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
};

/**
 * The project's file that an import of a path means. In "src/main.ts": "./App" → "src/App.tsx",
 * "../lib" → "lib/index.ts", "./a.js" → "src/a.js" or else "src/a.ts".
 */
export function findModule(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | undefined {
  const path = resolvePath(from, specifier)?.replace(/\/$/, '');
  // "." and "/" name the folder of the file itself, or of the project.
  if (path === undefined) return isPath(specifier) ? findIndex('', exists) : undefined;
  if (exists(path)) return path;
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - ending.length);
  const candidates = [
    ...endings.map((added) => path + added),
    ...(sources[ending] ?? []).map((other) => stem + other),
  ];
  return candidates.find(exists) ?? findIndex(`${path}/`, exists);
}

function findIndex(folder: string, exists: (path: string) => boolean): string | undefined {
  return endings.map((ending) => `${folder}index${ending}`).find(exists);
}

/** Whether an import means a path: "./a", "../a" and "/a" do, "a" and "https://…" do not. */
export function isPath(specifier: string): boolean {
  return /^\.{0,2}\/|^\.{1,2}$/.test(specifier) && !specifier.startsWith('//');
}

/** Whether an import means a package: neither a path nor an address, nor `#name`. */
export function isBare(specifier: string): boolean {
  return (
    specifier !== '' && !isPath(specifier) && !/^(?:#|\/\/|[a-z][a-z0-9+.-]*:)/i.test(specifier)
  );
}
