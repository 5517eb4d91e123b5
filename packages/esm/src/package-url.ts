import { privateDependencyFolder } from './lockfile/resolution-hash.ts';
import { isExactVersion, isPackageName } from './lockfile/lockfile.ts';

/*
 * Parses URL paths under /npm. A path is split at its slashes first and each segment decoded after
 * that, so an encoded slash, dot or null can't change the structure. Every path that isn't understood
 * is rejected. No part of a URL is joined into a file system path without passing through here.
 *
 *   /npm/three@0.187.0~k2jq…/addons/x.js  →  exact, module, subpath './addons/x.js'
 *   /npm/@a/b@1.0.0~k2jq…/-/dist/b.wasm   →  exact, raw, path 'dist/b.wasm'
 *   /npm/a@1.0.0~k2jq…/-in/b@2.0.0~p4xa…/c →  exact, module, b's subpath './c', root package a
 *   /npm/three@^0.180/examples            →  range '^0.180', subpath '/examples'
 *   /npm/-/search                         →  service 'search'
 */
type PackageUrl = ExactUrl | RangeUrl | ServiceUrl;

/** One version of a package in one lockfile. */
export interface ExactPackage {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  /**
   * `/npm/NAME@VERSION~HASH`; of a private dependency
   * `/npm/ROOT@VERSION~HASH/-in/NAME@VERSION~HASH`.
   */
  readonly base: string;
}

/** URL of one package in one lockfile. Its response never changes. */
export interface ExactUrl extends ExactPackage {
  readonly kind: 'exact';
  /** Root package of the group that this private dependency is served in. */
  readonly root?: ExactPackage;
  readonly part: 'module' | 'raw' | 'chunk' | 'worker' | 'join';
  /** `.` or `./subpath` of a module, else a path inside the package or its build. */
  readonly path: string;
}

/** URL of a package with a version, range or tag, which redirects to an exact URL. */
export interface RangeUrl {
  readonly kind: 'range';
  readonly name: string;
  /** Version, range or tag; `latest` when the URL has none. */
  readonly range: string;
  /** `` or `/subpath`, still URL-encoded. */
  readonly subpath: string;
}

/** URL under `/npm/-/`: a service, such as search, with its path segments. */
interface ServiceUrl {
  readonly kind: 'service';
  readonly parts: readonly string[];
}

const maxPathLength = 2_000;
const partFolders = new Map([
  ['-', 'raw'],
  ['-chunk', 'chunk'],
  ['-worker', 'worker'],
  ['-join', 'join'],
] as const);

/**
 * Parses a URL path under /npm. Undefined when it is not a package URL; the response is 400 then.
 */
export function parsePackageUrl(pathname: string): PackageUrl | undefined {
  if (!pathname.startsWith('/npm/') || pathname.length > maxPathLength) return undefined;
  const segments = pathname.slice('/npm/'.length).split('/');
  const parts = segments.map(decodeSegment);
  if (!parts.every((part) => part !== undefined)) return undefined;
  if (parts[0] === '-') return { kind: 'service', parts: parts.slice(1) };
  const package_ = parsePackage(parts);
  if (package_ === undefined) return undefined;
  const { name, range, rest } = package_;
  const exact = parseExactPackage(name, range, '/npm/');
  if (exact === undefined) {
    const subpath = segments.slice(parts.length - rest.length).map((part) => `/${part}`);
    return { kind: 'range', name, range, subpath: subpath.join('') };
  }
  return rest[0] === privateDependencyFolder
    ? parsePrivatePackage(exact, rest.slice(1))
    : { kind: 'exact', ...exact, ...parseModulePath(rest) };
}

function parsePrivatePackage(root: ExactPackage, parts: readonly string[]): ExactUrl | undefined {
  const { name, range, rest } = parsePackage(parts) ?? { name: '', range: '', rest: [] };
  const exact = parseExactPackage(name, range, `${root.base}/${privateDependencyFolder}/`);
  if (exact === undefined || rest[0] === privateDependencyFolder) return undefined;
  return { kind: 'exact', ...exact, root, ...parseModulePath(rest) };
}

/** Whether a URL belongs to the package at `base` or to one of its private dependencies. */
export function isInsidePackage(base: string, url: string): boolean {
  return url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
}

/** `1.0.0~k2jq…` → version and resolution hash; undefined for a range. */
function parseExactPackage(name: string, range: string, before: string): ExactPackage | undefined {
  const [, version = '', hash] = /^(.*)~([a-z2-7]{16})$/.exec(range) ?? [];
  if (hash === undefined || !isExactVersion(version)) return undefined;
  return { name, version, hash, base: `${before}${name}@${version}~${hash}` };
}

/** Decodes one path segment. Undefined when it could be read as several segments or as none. */
function decodeSegment(segment: string): string | undefined {
  const part = decode(segment);
  if (part === undefined || part === '' || part === '.' || part === '..') return undefined;
  // oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
  return /[/\\\x00-\x1f\x7f]/.test(part) ? undefined : part;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** `@a`, `b@^1`, `c` → name `@a/b`, range `^1`, rest `c`. */
function parsePackage(
  parts: readonly string[],
): { name: string; range: string; rest: readonly string[] } | undefined {
  const nameParts = parts[0]?.startsWith('@') ? 2 : 1;
  const text = parts.slice(0, nameParts).join('/');
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const range = at === -1 ? 'latest' : text.slice(at + 1);
  return isPackageName(name) && range !== ''
    ? { name, range, rest: parts.slice(nameParts) }
    : undefined;
}

function parseModulePath(parts: readonly string[]): Pick<ExactUrl, 'part' | 'path'> {
  const [first = '', ...rest] = parts;
  for (const [folder, part] of partFolders) {
    if (first === folder && rest.length > 0) return { part, path: rest.join('/') };
  }
  return { part: 'module', path: ['.', ...parts].join('/') };
}
