/** Determines a file's module format and exports by parsing it. Code is never run. */
import { parse as parseCommonjs } from 'cjs-module-lexer';
import { init, parse as parseModule } from 'es-module-lexer';
import { transformSync } from 'esbuild';
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSpecifier } from './resolve-specifier.ts';

/** Exports of a module. */
export interface ModuleExports {
  readonly names: ReadonlySet<string>;
  /** Other packages whose names are all re-exported: `export * from 'other'`. */
  readonly starExports: ReadonlySet<string>;
  /** CommonJS that may export more than can be read from its text. */
  readonly hidesNames: boolean;
}

export interface ModuleReader {
  isCommonjs(path: string): boolean;
  readExports(path: string): ModuleExports;
  /** Imports of a script. */
  readImports(path: string): ModuleImports;
}

interface ModuleImports {
  /** Specifiers that it imports statically; of CommonJS, all that it may require. */
  readonly loaded: readonly string[];
  /** Specifiers that it imports dynamically. */
  readonly later: readonly string[];
}

/** Await once before `createModuleReader`: the ES module lexer is WebAssembly. */
export const readyToRead = init;

/** Creates a reader that parses each file once. */
export function createModuleReader(files: PackageFiles, mode: PackageMode): ModuleReader {
  const formats = new Map<string, boolean>();
  const modules = new Map<string, ParsedModule | undefined>();
  const parsed = (path: string) => {
    if (!modules.has(path)) modules.set(path, parseScript(files.readText(path), path));
    return modules.get(path);
  };
  const isCommonjs = (path: string) => {
    let known = formats.get(path);
    if (known === undefined) formats.set(path, (known = detectCommonjs(path, parsed)));
    return known;
  };
  const readExports = (path: string) => {
    const exports = { names: new Set<string>(), starExports: new Set<string>(), hidesNames: false };
    collect(path, exports, new Set());
    return exports;
  };
  const collect = (path: string, exports: MutableExports, seen: Set<string>): void => {
    if (seen.has(path)) return;
    const isFirst = seen.size === 0;
    seen.add(path);
    const read = isCommonjs(path) ? readCommonjs(files, path) : readModule(path, parsed);
    // `export *` re-exports every name but the default.
    for (const name of read.names) if (isFirst || name !== 'default') exports.names.add(name);
    exports.hidesNames ||= read.hidesNames;
    const how = isCommonjs(path) ? 'require' : 'import';
    for (const specifier of read.reexports) {
      const target = resolveSpecifier(files, mode, path, specifier, how);
      if (target.kind === 'file') collect(target.path, exports, seen);
      else if (target.kind === 'package') exports.starExports.add(target.specifier);
    }
  };
  const readImports = (path: string) => {
    return isCommonjs(path)
      ? { loaded: readRequires(files.readText(path)), later: [] }
      : readModuleImports(parsed(path));
  };
  return { isCommonjs, readExports, readImports };
}

interface MutableExports {
  readonly names: Set<string>;
  readonly starExports: Set<string>;
  hidesNames: boolean;
}

interface ParsedExports {
  readonly names: Iterable<string>;
  readonly reexports: Iterable<string>;
  readonly hidesNames: boolean;
}

type ParsedModule = ReturnType<typeof parseModule>;
type ParseFile = (path: string) => ParsedModule | undefined;

/**
 * Parses a script. JSX and TypeScript, which the lexer doesn't support, are transformed by esbuild
 * first.
 */
function parseScript(text: string, path: string): ParsedModule | undefined {
  const loader = /\.[cm]?ts$/.test(path) ? 'ts' : path.endsWith('.tsx') ? 'tsx' : 'jsx';
  if (loader === 'jsx' && !path.endsWith('.jsx')) {
    try {
      return parseModule(text);
    } catch {
      // The file may be JSX with a .js name, or have syntax that the lexer doesn't support.
    }
  }
  try {
    const options = { loader, jsx: 'automatic', tsconfigRaw: {}, logLevel: 'silent' } as const;
    return parseModule(transformSync(text, options).code);
  } catch {
    // The build reports the syntax error, if the file is part of it.
    return undefined;
  }
}

function detectCommonjs(path: string, parse: ParseFile): boolean {
  if (/\.(?:mjs|mts|json|css|wasm|svelte)$/.test(path)) return false;
  if (/\.(?:cjs|cts)$/.test(path)) return true;
  return parse(path)?.[3] !== true;
}

function readModule(path: string, parse: ParseFile): ParsedExports {
  if (!/\.[cm]?[jt]sx?$/.test(path))
    return { names: ['default'], reexports: [], hidesNames: false };
  const [imports, exports] = parse(path) ?? [[], []];
  const stars = imports.filter((item) => item.type === 'reexport-star');
  return {
    names: exports.flatMap((item) =>
      'name' in item && item.name !== undefined ? [item.name] : [],
    ),
    reexports: stars.map((item) => item.specifier ?? '').filter((specifier) => specifier !== ''),
    hidesNames: false,
  };
}

function readModuleImports(parsed: ParsedModule | undefined): ModuleImports {
  const all = (parsed?.[0] ?? []).filter((item) => item.type !== 'import-meta');
  const later = all.filter((item) => item.type === 'dynamic');
  return {
    loaded: all.filter((item) => item.type !== 'dynamic').map(({ specifier }) => specifier ?? ''),
    later: later.flatMap(({ specifier }) => specifier ?? []),
  };
}

function readRequires(text: string): string[] {
  const calls = text.matchAll(/\brequire\(\s*(["'])([^"'\n]+)\1\s*\)/g);
  return [...calls].map(([, , specifier = '']) => specifier);
}

function readCommonjs(files: PackageFiles, path: string): ParsedExports {
  const text = files.readText(path);
  try {
    const { exports, reexports } = parseCommonjs(text);
    return {
      names: exports,
      reexports,
      hidesNames: mayHideNames(text, [...exports], [...reexports]),
    };
  } catch {
    return { names: [], reexports: [], hidesNames: true };
  }
}

/**
 * Whether the lexer may have missed exports. It reads `exports.a =`, `module.exports =
 * require('x')` and plain object literals. Any other value of `module.exports` (a function with
 * properties, the result of a factory) may have properties that only running it would show.
 */
function mayHideNames(
  text: string,
  names: readonly string[],
  reexports: readonly string[],
): boolean {
  if (names.length === 0 && reexports.length === 0) return true;
  const assigned = text.matchAll(/\bmodule\.exports\s*=(?!=)\s*([^;]{0,2000})/g);
  return [...assigned].some(([, value = '']) => !fullyReadable.test(value));
}

/** Values that the lexer reads completely: `require(…)`, `exports`, and literals of plain names. */
const fullyReadable =
  /^(?:require\(|__toCommonJS|exports\b|\{\s*(?:(?:[\w$]+|'[^']*'|"[^"]*")(?:\s*:\s*[\w$]+)?\s*(?:,\s*|(?=\})))*\})/;
