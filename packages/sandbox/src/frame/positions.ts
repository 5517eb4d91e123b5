import type { SourceLocation } from '../protocol.ts';
import { missingFilePrefix } from './srcdoc/blob-urls.ts';
import type { DocumentInfo } from './environment.ts';
import { resolveProjectPath } from './srcdoc/srcdoc-urls.ts';
import { urlPathOf } from './navigation.ts';

export const unknownLocation: SourceLocation = { path: '', line: 0, column: 0 };

/** Maps URLs and positions that the browser reports to project paths and positions. */
export interface PositionMap {
  /** Project path of a URL; '' for any other URL. */
  pathOf(address: string): string;
  /** Path of a missing file that a stylesheet refers to, with the srcdoc transport; otherwise ''. */
  missingFileOf(address: string): string;
  /** Path of a missing file that the page requested from our server, with the srcdoc transport; otherwise ''. */
  missingRequestOf(address: string): string;
  /** Whether a URL is one of our scripts or pages. */
  isInternal(address: string): boolean;
  /** Base URL of relative URLs, from the page's point of view. */
  readonly base: string;
  find(address: string, line: number, column: number): SourceLocation;
  /** First location of the project in a stack trace. */
  findInStack(stack: string): SourceLocation;
  /** Stack trace with project paths as URLs and without our own frames. */
  cleanStack(stack: string): string;
}

/** Creates the mapping. `aliases` maps blob URLs of the srcdoc transport to files. */
export function createPositionMap(
  documentInfo: DocumentInfo,
  aliases: ReadonlyMap<string, string>,
): PositionMap {
  const isOurs = (address: string) =>
    address.includes('/__vitrine/') && missedPathOf(address) === '';
  const ownAddress = () => location.href.split(/[?#]/)[0];

  const isSrcdoc = () => documentInfo.shown.kind === 'srcdoc';

  const absentPathOf = (address: string): string =>
    isSrcdoc() && address.startsWith(missingFilePrefix)
      ? decodePath(address.slice(missingFilePrefix.length).split(/[?#]/)[0] ?? '')
      : '';
  const missedPathOf = (address: string): string => {
    const absent = absentPathOf(address);
    if (absent !== '' || !isSrcdoc() || !address.startsWith(`${location.origin}/`)) return absent;
    const isOwn = /\/__vitrine\/[\w-]+\.js\?[0-9a-f]+$/.test(address);
    if (isOwn || address.startsWith(`${location.origin}/npm/`)) return '';
    // A relative URL resolves next to our own page, but means a file next to the project's page.
    const [, relative] = /^\/__vitrine\/(.*)$/s.exec(new URL(address).pathname) ?? [];
    return resolveProjectPath(relative ?? new URL(address).pathname, documentInfo.path) ?? '';
  };
  const pathOf = (address: string): string => {
    if (address === '') return '';
    const plain = address.split(/[?#]/)[0] ?? '';
    const alias = aliases.get(plain);
    // Modules of other files are named by their path and a query.
    if (alias !== undefined) return alias.replace(/\?\w+$/, '');
    if (isSrcdoc()) return plain === ownAddress() ? documentInfo.path : absentPathOf(plain);
    if (plain === ownAddress()) return documentInfo.path;
    if (!plain.startsWith(`${location.origin}/`) || isOurs(plain)) return '';
    return decodePath(plain.slice(location.origin.length + 1));
  };
  const find = (address: string, line: number, column: number): SourceLocation => {
    const inline = findInline(address, line, column);
    if (inline) return inline;
    const path = pathOf(address);
    if (path === '') return unknownLocation;
    const { shift } = documentInfo;
    const isShifted = path === documentInfo.path && line === shift.line && column > shift.column;
    return { path, line, column: isShifted ? Math.max(1, column - shift.length) : column };
  };

  return {
    pathOf,
    missingFileOf: absentPathOf,
    missingRequestOf: missedPathOf,
    isInternal: isOurs,
    get base() {
      return isSrcdoc()
        ? new URL(urlPathOf(documentInfo.path), location.origin).href
        : document.baseURI;
    },
    find,
    findInStack(stack) {
      for (const [, address = '', line, column] of stack.matchAll(stackLocation)) {
        const location = find(address, Number(line), Number(column));
        if (location.path !== '') return location;
      }
      return unknownLocation;
    },
    cleanStack: (stack) =>
      stack
        .split('\n')
        .filter((line) => !isOurs(line))
        .join('\n')
        .replace(stackLocation, (whole, address: string, line: string, column: string) => {
          const location = find(address, Number(line), Number(column));
          return location.path === ''
            ? whole
            : `${location.path}:${location.line}:${location.column}`;
        })
        .slice(0, 5_000),
  };
}

/** Position in an inline script of the srcdoc transport: `vitrine-page:index.html?3.9` starts at 3:9. */
function findInline(address: string, line: number, column: number): SourceLocation | undefined {
  const found = /^vitrine-page:([^?]*)\?(\d+)\.(\d+)$/.exec(address);
  if (!found?.[1]) return undefined;
  const startColumn = line === 1 ? Number(found[3]) - 1 : 0;
  return {
    path: decodePath(found[1]),
    line: line + Number(found[2]) - 1,
    column: column + startColumn,
  };
}

/** URL:LINE:COLUMN in "at f (http://host/a.js:3:14)" and "f@http://host/a.js:3:14". */
const stackLocation = /((?:https?|blob|vitrine-page):[^\s()]+?):(\d+):(\d+)/g;

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
