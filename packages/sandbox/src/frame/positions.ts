import type { CodePlace } from '../protocol.ts';
import { absentStart } from './blobs.ts';
import type { DocumentFacts } from './environment.ts';
import { findPath } from './portable-address.ts';
import { addressOf } from './reload.ts';

export const nowhere: CodePlace = { path: '', line: 0, column: 0 };

/** Turns what the browser says of a place into the project's own paths and lines. */
export interface Positions {
  /** The project's path of an address; '' for anything that is not of the project. */
  pathOf(address: string): string;
  /** Of what a stylesheet names and the project lacks, the path: on the portable path the page asks us. */
  absentPathOf(address: string): string;
  /** The path of a file that the page asked our host for on the portable path, where none is served. */
  missedPathOf(address: string): string;
  /** Whether an address is that of a script or page of ours. */
  isOurs(address: string): boolean;
  /** What relative addresses stand on, as the page means them. */
  readonly base: string;
  find(address: string, line: number, column: number): CodePlace;
  /** The nearest place of the project in a stack, as it stood when the error was made. */
  findInStack(stack: string): CodePlace;
  /** The stack with paths instead of addresses, without our own frames. */
  clean(stack: string): string;
}

/** `aliases` holds addresses that stand for a file, blobs on the portable path. */
export function createPositions(
  facts: DocumentFacts,
  aliases: ReadonlyMap<string, string>,
): Positions {
  const isOurs = (address: string) =>
    address.includes('/__vitrine/') && missedPathOf(address) === '';
  const ownAddress = () => location.href.split(/[?#]/)[0];

  const isPortable = () => facts.shown.kind === 'portable';

  const absentPathOf = (address: string): string =>
    isPortable() && address.startsWith(absentStart)
      ? decodePath(address.slice(absentStart.length).split(/[?#]/)[0] ?? '')
      : '';
  const missedPathOf = (address: string): string => {
    const absent = absentPathOf(address);
    if (absent !== '' || !isPortable() || !address.startsWith(`${location.origin}/`)) return absent;
    const isOwn = /\/__vitrine\/[\w-]+\.js\?[0-9a-f]+$/.test(address);
    if (isOwn || address.startsWith(`${location.origin}/npm/`)) return '';
    // What is relative stands beside our page, and means a file beside the project's.
    const [, relative] = /^\/__vitrine\/(.*)$/s.exec(new URL(address).pathname) ?? [];
    return findPath(relative ?? new URL(address).pathname, facts.path) ?? '';
  };
  const pathOf = (address: string): string => {
    if (address === '') return '';
    const plain = address.split(/[?#]/)[0] ?? '';
    const alias = aliases.get(plain);
    // A module made for a file is named by it and a query.
    if (alias !== undefined) return alias.replace(/\?(?:module|raw|url)$/, '');
    if (isPortable()) return plain === ownAddress() ? facts.path : absentPathOf(plain);
    if (plain === ownAddress()) return facts.path;
    if (!plain.startsWith(`${location.origin}/`) || isOurs(plain)) return '';
    return decodePath(plain.slice(location.origin.length + 1));
  };
  const find = (address: string, line: number, column: number): CodePlace => {
    const inline = findInline(address, line, column);
    if (inline) return inline;
    const path = pathOf(address);
    if (path === '') return nowhere;
    const { shift } = facts;
    const isShifted = path === facts.path && line === shift.line && column > shift.column;
    return { path, line, column: isShifted ? Math.max(1, column - shift.length) : column };
  };

  return {
    pathOf,
    absentPathOf,
    missedPathOf,
    isOurs,
    get base() {
      return isPortable() ? new URL(addressOf(facts.path), location.origin).href : document.baseURI;
    },
    find,
    findInStack(stack) {
      for (const [, address = '', line, column] of stack.matchAll(stackPlace)) {
        const place = find(address, Number(line), Number(column));
        if (place.path !== '') return place;
      }
      return nowhere;
    },
    clean: (stack) =>
      stack
        .split('\n')
        .filter((line) => !isOurs(line))
        .join('\n')
        .replace(stackPlace, (whole, address: string, line: string, column: string) => {
          const place = find(address, Number(line), Number(column));
          return place.path === '' ? whole : `${place.path}:${place.line}:${place.column}`;
        })
        .slice(0, 5_000),
  };
}

/** `vitrine-page:index.html?3.9`: an inline script on the portable path that begins at 3:9. */
function findInline(address: string, line: number, column: number): CodePlace | undefined {
  const found = /^vitrine-page:([^?]*)\?(\d+)\.(\d+)$/.exec(address);
  if (!found?.[1]) return undefined;
  const startColumn = line === 1 ? Number(found[3]) - 1 : 0;
  return {
    path: decodePath(found[1]),
    line: line + Number(found[2]) - 1,
    column: column + startColumn,
  };
}

/** "at f (http://host/a.js:3:14)" and "f@http://host/a.js:3:14" both hold ADDRESS:LINE:COLUMN. */
const stackPlace = /((?:https?|blob|vitrine-page):[^\s()]+?):(\d+):(\d+)/g;

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
