/*
 * Lists the names that a set of modules export, including `export *` among them. ECMAScript,
 * ResolveExport: https://tc39.es/ecma262/#sec-resolveexport
 */
import { parse, type Export } from 'es-module-lexer';

export interface ModuleNames {
  readonly names: readonly string[];
  /** Modules outside of the set whose names are all re-exported. */
  readonly stars: readonly string[];
}

/**
 * Lists exported names by module URL.
 *
 * @param texts Module texts by URL.
 */
export function listModuleNames(
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, ModuleNames> {
  const shapes = new Map([...texts].map(([address, text]) => [address, readShape(text)]));
  return new Map([...shapes.keys()].map((address) => [address, resolveNames(shapes, address)]));
}

interface Shape {
  /** Own export → the module and name that it re-exports; undefined for a local one. */
  readonly own: ReadonlyMap<string, { readonly from: string; readonly name: string } | undefined>;
  readonly stars: readonly string[];
}

function readShape(text: string): Shape {
  const exports = parse(text)[1];
  return {
    own: new Map(exports.flatMap(readOwn)),
    stars: exports.flatMap((item) => (item.type === 'reexport-all' ? [item.from] : [])),
  };
}

function readOwn(item: Export): [string, { from: string; name: string } | undefined][] {
  if (item.type === 'reexport-all') return [];
  const isReexport = item.type === 'reexport' && item.importName !== null;
  return [[item.name, isReexport ? { from: item.from, name: item.importName } : undefined]];
}

function resolveNames(shapes: ReadonlyMap<string, Shape>, address: string): ModuleNames {
  const names = new Set(shapes.get(address)?.own.keys());
  const reached = new Set(shapes.get(address)?.stars);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const star of reached) for (const next of shapes.get(star)?.stars ?? []) reached.add(next);
  for (const star of reached) {
    for (const name of shapes.get(star)?.own.keys() ?? []) if (name !== 'default') names.add(name);
  }
  return {
    names: [...names].filter((name) => findOrigins(shapes, address, name).size === 1),
    stars: [...reached].filter((star) => !shapes.has(star)),
  };
}

/**
 * Modules and names that an export resolves to. With more than one, the name is ambiguous and can't
 * be imported.
 */
function findOrigins(
  shapes: ReadonlyMap<string, Shape>,
  address: string,
  name: string,
  seen = new Set<string>(),
): Set<string> {
  const key = JSON.stringify([address, name]);
  const shape = shapes.get(address);
  if (shape === undefined) return new Set([key]);
  if (seen.has(key)) return new Set();
  seen.add(key);
  if (shape.own.has(name)) {
    const reexport = shape.own.get(name);
    return reexport ? findOrigins(shapes, reexport.from, reexport.name, seen) : new Set([key]);
  }
  const inner = shape.stars.filter((star) => shapes.has(star) && name !== 'default');
  return new Set(inner.flatMap((star) => [...findOrigins(shapes, star, name, seen)]));
}
