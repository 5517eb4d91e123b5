/*
 * What a link leads to. The addresses of code hosts' own pages are read, as users copy them from the
 * address bar: a repository, a folder or file in it, a gist. Any other https address is a file.
 */
import { Refusal } from '../_shared/answer.ts';

/** An archive that may have the files. */
interface ArchiveCandidate {
  readonly url: URL;
  /** Branch, tag or commit. Empty for the default branch. */
  readonly ref: string;
  /** Path of a folder or file in the repository, "" for all of it. */
  readonly folder: string;
}

/** What to request for a link. */
export type Link =
  | {
      readonly kind: 'archive';
      /** "OWNER/REPO" */
      readonly repository: string;
      /** Tried one after the other, as an address doesn't say where a branch's name ends. */
      readonly candidates: readonly ArchiveCandidate[];
    }
  | { readonly kind: 'file'; readonly url: URL };

/** The page of a repository on a code host. */
interface RepositoryPage {
  readonly repository: string;
  /** Address of the archive of a ref. */
  archive(ref: string): string;
  /** Branch, tag or commit, and a path in it: ["main", "src", "a.js"]. Empty for the repository. */
  readonly location: readonly string[];
  /** Beginnings of the full names of refs that have slashes: "refs/heads/". */
  readonly refPrefixes: readonly string[];
  /** Address of the file that the page shows. */
  readonly file?: string;
}

/** Number of path segments that a branch's or tag's name may have: "fix/12/a" has three. */
const maxRefSegments = 4;

/** Reads a link. Throws a `Refusal` with `link_invalid`. */
export function parseLink(text: unknown): Link {
  if (typeof text !== 'string' || text.length > 2000 || !URL.canParse(text))
    throw new Refusal(422, 'link_invalid');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new Refusal(422, 'link_invalid');
  // As browsers do. What doesn't have https can't be imported.
  if (url.protocol === 'http:') url.protocol = 'https:';
  if (url.protocol !== 'https:') throw new Refusal(422, 'link_invalid');
  const segments = url.pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode);
  const page = hosts.get(url.host.replace(/^www\./, ''))?.(segments);
  if (!page) return { kind: 'file', url };
  if (page.file !== undefined) return { kind: 'file', url: new URL(page.file) };
  return { kind: 'archive', repository: page.repository, candidates: listCandidates(page) };
}

function listCandidates({ archive, location, refPrefixes }: RepositoryPage): ArchiveCandidate[] {
  if (location.length === 0) return [{ url: new URL(archive('HEAD')), ref: '', folder: '' }];
  const lengths = Array.from(
    { length: Math.min(location.length, maxRefSegments) },
    (_, index) => index + 1,
  );
  return lengths.flatMap((length) => {
    const ref = location.slice(0, length).join('/');
    const folder = location.slice(length).join('/');
    const prefixes = length === 1 ? [''] : refPrefixes;
    return prefixes.map((prefix) => ({
      url: new URL(archive(prefix + encodePath(location.slice(0, length)))),
      ref,
      folder,
    }));
  });
}

/** Code hosts by name. Their parsers return undefined for other pages. */
const hosts = new Map<string, (segments: readonly string[]) => RepositoryPage | undefined>([
  ['github.com', parseGitHub],
  ['gist.github.com', parseGist],
  ['gitlab.com', parseGitLab],
  ['codeberg.org', parseCodeberg],
  ['bitbucket.org', parseBitbucket],
]);

function parseGitHub([owner, repo, page, ...location]: readonly string[]) {
  const repository = joinRepository(owner, repo);
  if (repository === undefined) return undefined;
  const isTree = page === undefined || page === 'tree' || page === 'commit';
  const isFile = (page === 'blob' || page === 'raw') && location.length > 1;
  if (!isTree && !isFile) return undefined;
  return {
    repository,
    location,
    refPrefixes: ['refs/heads/', 'refs/tags/'],
    archive: (ref: string) => `https://codeload.github.com/${repository}/tar.gz/${ref}`,
    ...(isFile && {
      file: `https://raw.githubusercontent.com/${repository}/${encodePath(location)}`,
    }),
  };
}

/** gist.github.com/OWNER/ID, …/OWNER/ID/REVISION, and …/ID without its owner */
function parseGist(segments: readonly string[]) {
  const at = segments.slice(0, 2).findIndex((text) => /^(?:[0-9a-f]{20,40}|\d+)$/.test(text));
  const id = segments[at];
  const [revision] = segments.slice(at + 1);
  if (id === undefined || (revision !== undefined && !/^[0-9a-f]{40}$/.test(revision)))
    return undefined;
  return {
    repository: segments.slice(0, at + 1).join('/'),
    location: revision === undefined ? [] : [revision],
    refPrefixes: [],
    archive: (ref: string) => `https://codeload.github.com/gist/${id}/tar.gz/${ref}`,
  };
}

/** Projects may be in groups of groups; what follows is behind "-". */
function parseGitLab(segments: readonly string[]) {
  const end = segments.includes('-') ? segments.indexOf('-') : segments.length;
  const project = segments.slice(0, end);
  const [page, ...location] = segments.slice(end + 1);
  const isFile = (page === 'blob' || page === 'raw') && location.length > 1;
  if (project.length < 2 || !project.every(isName)) return undefined;
  if (!isFile && page !== undefined && page !== 'tree') return undefined;
  const repository = project.join('/');
  return {
    repository,
    location,
    refPrefixes: [''],
    archive: (ref: string) => `https://gitlab.com/${repository}/-/archive/${ref}/archive.tar.gz`,
    ...(isFile && { file: `https://gitlab.com/${repository}/-/raw/${encodePath(location)}` }),
  };
}

/** codeberg.org/OWNER/REPO/src/branch/REF/PATH, also with "tag" and "commit" */
function parseCodeberg([owner, repo, page, , ...location]: readonly string[]) {
  const repository = joinRepository(owner, repo);
  if (repository === undefined || (page !== undefined && page !== 'src')) return undefined;
  return {
    repository,
    location,
    refPrefixes: [''],
    archive: (ref: string) => `https://codeberg.org/${repository}/archive/${ref}.tar.gz`,
  };
}

function parseBitbucket([owner, repo, page, ...location]: readonly string[]) {
  const repository = joinRepository(owner, repo);
  if (repository === undefined || (page !== undefined && page !== 'src')) return undefined;
  return {
    repository,
    location,
    refPrefixes: [''],
    archive: (ref: string) => `https://bitbucket.org/${repository}/get/${ref}.tar.gz`,
  };
}

/** ("vuejs", "core.git") → "vuejs/core". Undefined for names that no repository has. */
function joinRepository(owner = '', repo = ''): string | undefined {
  const name = repo.replace(/\.git$/, '');
  return isName(owner) && isName(name) ? `${owner}/${name}` : undefined;
}

function isName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && !/^\.+$/.test(text);
}

function encodePath(segments: readonly string[]): string {
  return segments.map(encodeURIComponent).join('/');
}

/** Decodes a segment of a path. Throws `link_invalid`, also for "%2e%2e" and "a%2Fb". */
function decode(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    if (!/^\.{1,2}$|\//.test(text)) return text;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new Refusal(422, 'link_invalid');
}
