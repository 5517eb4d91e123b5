import type { PackageRequest } from '@vitrine/esm/messages';
import { getExtension } from '@vitrine/project';
import { findCdnPackage, type CdnPackage } from './cdn-urls.ts';

/** An import from a CDN, and its replacement by a package of the project. */
export interface CdnImport {
  readonly host: string;
  readonly packages: readonly PackageRequest[];
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
  /** The whole file with the import replaced; undefined for a classic script. */
  readonly rewritten: string | undefined;
}

/** Finds imports, module scripts, import maps and classic scripts with URLs of known CDNs. */
export function findCdnImports(path: string, text: string): CdnImport[] {
  // A fast path, because this runs on every keystroke.
  if (!text.includes('//')) return [];
  if (isScript(path)) return findInModules(text);
  return isPage(path) ? [...findInTags(text), ...findInModules(text)].sort(byPosition) : [];
}

const scriptExtensions: ReadonlySet<string> = new Set(['js', 'mjs', 'jsx', 'ts', 'mts', 'tsx']);

function isScript(path: string): boolean {
  return scriptExtensions.has(getExtension(path));
}

function isPage(path: string): boolean {
  return getExtension(path) === 'html' || getExtension(path) === 'htm';
}

const moduleImport = /\b(?:from|import)\s*\(?\s*(["'])(https?:\/\/[^"'\s]+)\1/g;

function findInModules(text: string): CdnImport[] {
  return [...text.matchAll(moduleImport)].flatMap((match) => {
    const [whole, , address = ''] = match;
    const found = findCdnPackage(address);
    const start = match.index + whole.lastIndexOf(address);
    return found ? [toImport(text, start, [found], found.specifier, address)] : [];
  });
}

const scriptTag = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;

function findInTags(text: string): CdnImport[] {
  return [...text.matchAll(scriptTag)].flatMap((match) => {
    const [whole, attributes = '', content = ''] = match;
    const type = findAttribute(attributes, 'type')?.toLowerCase();
    if (type === 'importmap') return findInImportMap(text, match.index, whole, content);
    const address = findAttribute(attributes, 'src') ?? '';
    const found = findCdnPackage(address);
    if (!found) return [];
    if (type !== 'module') return [toImport(text, match.index, [found], undefined, whole)];
    const tag = `<script type="module">import '${found.specifier}';</script>`;
    return [toImport(text, match.index, [found], tag, whole)];
  });
}

/** An import map that maps packages to their own names is redundant: package.json lists them. */
function findInImportMap(text: string, start: number, whole: string, content: string): CdnImport[] {
  const entries = parseImportMap(content);
  const known = entries.flatMap(({ key, address }) => {
    const found = findCdnPackage(address);
    return found && (key === found.name || key.startsWith(`${found.name}/`)) ? [found] : [];
  });
  if (known.length === 0 || known.length < entries.length) return [];
  const byName = new Map(known.map((found) => [found.name, found]));
  return [toImport(text, start, [...byName.values()], '', whole)];
}

function parseImportMap(content: string): { key: string; address: string }[] {
  try {
    const map: unknown = JSON.parse(content);
    if (typeof map !== 'object' || map === null || !('imports' in map)) return [];
    return Object.entries(map.imports ?? {}).map(([key, address]) => ({
      key,
      address: String(address),
    }));
  } catch (error) {
    // The browser ignores an invalid import map, too.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function findAttribute(attributes: string, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const [, double, single, bare] = pattern.exec(attributes) ?? [];
  return (double ?? single ?? bare)?.trim();
}

/** Builds the result for an import that `replacement` would replace. */
function toImport(
  text: string,
  start: number,
  found: readonly CdnPackage[],
  replacement: string | undefined,
  original: string,
): CdnImport {
  const lines = text.slice(0, start).split('\n');
  return {
    host: found[0]?.host ?? '',
    packages: found.map(({ name, range }) => (range === undefined ? { name } : { name, range })),
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    rewritten:
      replacement === undefined
        ? undefined
        : text.slice(0, start) + replacement + text.slice(start + original.length),
  };
}

function byPosition(a: CdnImport, b: CdnImport): number {
  return a.line - b.line || a.column - b.column;
}
