import { extension } from '@vitrine/project';
import { findCdnPackage, type CdnPackage } from './cdn-addresses.ts';
import type { WantedPackage } from './wanted-packages.ts';

/** A place in a file where a package comes from another host, and what could stand there instead. */
export interface CdnImport {
  readonly host: string;
  readonly packages: readonly WantedPackage[];
  /** Where it stands, counted from 1. */
  readonly line: number;
  readonly column: number;
  /** The whole file with the package imported by its name; undefined where no module imports it. */
  readonly rewritten: string | undefined;
}

/** The imports, module scripts, import maps and classic scripts that known package hosts answer. */
export function findCdnImports(path: string, text: string): CdnImport[] {
  // Quick, since it is asked with every key press.
  if (!text.includes('//')) return [];
  if (isScript(path)) return findInModules(text);
  return isPage(path) ? [...findInTags(text), ...findInModules(text)].sort(inOrder) : [];
}

const scriptEndings: ReadonlySet<string> = new Set(['js', 'mjs', 'jsx', 'ts', 'mts', 'tsx']);

function isScript(path: string): boolean {
  return scriptEndings.has(extension(path));
}

function isPage(path: string): boolean {
  return extension(path) === 'html' || extension(path) === 'htm';
}

const moduleImport = /\b(?:from|import)\s*\(?\s*(["'])(https?:\/\/[^"'\s]+)\1/g;

function findInModules(text: string): CdnImport[] {
  return [...text.matchAll(moduleImport)].flatMap((match) => {
    const [whole, , address = ''] = match;
    const found = findCdnPackage(address);
    const start = match.index + whole.lastIndexOf(address);
    return found ? [place(text, start, [found], found.specifier, address)] : [];
  });
}

const scriptTag = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;

function findInTags(text: string): CdnImport[] {
  return [...text.matchAll(scriptTag)].flatMap((match) => {
    const [whole, attributes = '', content = ''] = match;
    const type = attributeOf(attributes, 'type')?.toLowerCase();
    if (type === 'importmap') return findInMap(text, match.index, whole, content);
    const address = attributeOf(attributes, 'src') ?? '';
    const found = findCdnPackage(address);
    if (!found) return [];
    if (type !== 'module') return [place(text, match.index, [found], undefined, whole)];
    const tag = `<script type="module">import '${found.specifier}';</script>`;
    return [place(text, match.index, [found], tag, whole)];
  });
}

/** A map of packages by their own names is not needed any more: the project's list says the same. */
function findInMap(text: string, start: number, whole: string, content: string): CdnImport[] {
  const entries = readMap(content);
  const known = entries.flatMap(({ key, address }) => {
    const found = findCdnPackage(address);
    return found && (key === found.name || key.startsWith(`${found.name}/`)) ? [found] : [];
  });
  if (known.length === 0 || known.length < entries.length) return [];
  const byName = new Map(known.map((found) => [found.name, found]));
  return [place(text, start, [...byName.values()], '', whole)];
}

function readMap(content: string): { key: string; address: string }[] {
  try {
    const map: unknown = JSON.parse(content);
    if (typeof map !== 'object' || map === null || !('imports' in map)) return [];
    return Object.entries(map.imports ?? {}).map(([key, address]) => ({
      key,
      address: String(address),
    }));
  } catch (error) {
    // The browser would ignore a map that does not parse.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const [, double, single, bare] = pattern.exec(attributes) ?? [];
  return (double ?? single ?? bare)?.trim();
}

function place(
  text: string,
  start: number,
  found: readonly CdnPackage[],
  by: string | undefined,
  instead: string,
): CdnImport {
  const lines = text.slice(0, start).split('\n');
  return {
    host: found[0]?.host ?? '',
    packages: found.map(({ name, range }) => (range === undefined ? { name } : { name, range })),
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    rewritten:
      by === undefined ? undefined : text.slice(0, start) + by + text.slice(start + instead.length),
  };
}

function inOrder(a: CdnImport, b: CdnImport): number {
  return a.line - b.line || a.column - b.column;
}
