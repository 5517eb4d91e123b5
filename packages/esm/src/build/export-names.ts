/*
 * Lists the export names of modules, following `export *` between them. ECMAScript, ResolveExport:
 * https://tc39.es/ecma262/#sec-resolveexport
 */
import { parse, type Export } from 'es-module-lexer';

interface ExportNames {
  readonly names: readonly string[];
  /** Modules outside of the set whose names are all re-exported. */
  readonly starExports: readonly string[];
}

/**
 * Lists export names by module URL.
 *
 * @param sources Source texts of the modules by URL.
 */
export function listExportNames(
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, ExportNames> {
  const modules = new Map([...sources].map(([url, text]) => [url, parseExports(text)]));
  return new Map([...modules.keys()].map((url) => [url, resolveNames(modules, url)]));
}

/** The export entries of one module. */
interface ExportEntries {
  /** Export name → the module and name that it re-exports; undefined for a local one. */
  readonly named: ReadonlyMap<string, { readonly from: string; readonly name: string } | undefined>;
  /** Modules in `export * from`. */
  readonly stars: readonly string[];
}

function parseExports(text: string): ExportEntries {
  const exports = parse(text)[1];
  return {
    named: new Map(exports.flatMap(toNamedExport)),
    stars: exports.flatMap((item) => (item.type === 'reexport-all' ? [item.from] : [])),
  };
}

function toNamedExport(item: Export): [string, { from: string; name: string } | undefined][] {
  if (item.type === 'reexport-all') return [];
  const isReexport = item.type === 'reexport' && item.importName !== null;
  return [[item.name, isReexport ? { from: item.from, name: item.importName } : undefined]];
}

function resolveNames(modules: ReadonlyMap<string, ExportEntries>, url: string): ExportNames {
  const names = new Set(modules.get(url)?.named.keys());
  const reached = new Set(modules.get(url)?.stars);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const star of reached) for (const next of modules.get(star)?.stars ?? []) reached.add(next);
  for (const star of reached) {
    for (const name of modules.get(star)?.named.keys() ?? [])
      if (name !== 'default') names.add(name);
  }
  return {
    names: [...names].filter((name) => findOrigins(modules, url, name).size === 1),
    starExports: [...reached].filter((star) => !modules.has(star)),
  };
}

/**
 * Modules and names that an export resolves to. With more than one, the name is ambiguous and can't
 * be imported.
 */
function findOrigins(
  modules: ReadonlyMap<string, ExportEntries>,
  url: string,
  name: string,
  seen = new Set<string>(),
): Set<string> {
  const key = JSON.stringify([url, name]);
  const module = modules.get(url);
  if (module === undefined) return new Set([key]);
  if (seen.has(key)) return new Set();
  seen.add(key);
  if (module.named.has(name)) {
    const reexport = module.named.get(name);
    return reexport ? findOrigins(modules, reexport.from, reexport.name, seen) : new Set([key]);
  }
  const stars = module.stars.filter((star) => modules.has(star) && name !== 'default');
  return new Set(stars.flatMap((star) => [...findOrigins(modules, star, name, seen)]));
}
