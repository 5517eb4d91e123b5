import { companionFolder, isExactVersion, isPackageName } from '@vitrine/project';

/*
 * The addresses under /npm. A path is taken apart at its slashes first and each part decoded after,
 * so no encoded slash, dot or null can become structure; what is not understood is refused. Nothing
 * of an address is ever joined into a path of the file system without having passed here.
 *
 *   /npm/three@0.187.0~k2jq…/addons/x.js  →  exact, module, subpath './addons/x.js'
 *   /npm/@a/b@1.0.0~k2jq…/-/dist/b.wasm   →  exact, raw, path 'dist/b.wasm'
 *   /npm/a@1.0.0~k2jq…/-in/b@2.0.0~p4xa…/c →  exact, module, b's subpath './c', a is the head
 *   /npm/three@^0.180/examples            →  range '^0.180', subpath '/examples'
 *   /npm/-/search                         →  service 'search'
 */
export type PackageAddress = ExactAddress | RangeAddress | ServiceAddress;

export interface ExactPackage {
  readonly name: string;
  readonly version: string;
  readonly link: string;
  /** `/npm/NAME@VERSION~LINK`; of a companion `HEAD/-in/NAME@VERSION~LINK`. */
  readonly base: string;
}

/** One package in one lock: answers never change. */
export interface ExactAddress extends ExactPackage {
  readonly kind: 'exact';
  /** The package that this one is served as a part of. */
  readonly head?: ExactPackage;
  readonly part: 'module' | 'raw' | 'chunk' | 'worker' | 'join';
  /** `.` or `./subpath` of a module, else a path inside the package or its build. */
  readonly path: string;
}

export interface RangeAddress {
  readonly kind: 'range';
  readonly name: string;
  /** A version, range or tag; the latest where none was given. */
  readonly wish: string;
  /** `` or `/subpath`, encoded as it came. */
  readonly subpath: string;
}

export interface ServiceAddress {
  readonly kind: 'service';
  readonly parts: readonly string[];
}

const pathMaxLength = 2_000;
const innerFolders = new Map([
  ['-', 'raw'],
  ['-chunk', 'chunk'],
  ['-worker', 'worker'],
  ['-join', 'join'],
] as const);

/** Undefined for what is no address of ours: to be answered 400. */
export function parsePackageAddress(pathname: string): PackageAddress | undefined {
  if (!pathname.startsWith('/npm/') || pathname.length > pathMaxLength) return undefined;
  const encoded = pathname.slice('/npm/'.length).split('/');
  const parts = encoded.map(decodePart);
  if (!parts.every((part) => part !== undefined)) return undefined;
  if (parts[0] === '-') return { kind: 'service', parts: parts.slice(1) };
  const package_ = parsePackage(parts);
  if (package_ === undefined) return undefined;
  const { name, wish, rest } = package_;
  const exact = toExact(name, wish, '/npm/');
  if (exact === undefined) {
    const subpath = encoded.slice(parts.length - rest.length).map((part) => `/${part}`);
    return { kind: 'range', name, wish, subpath: subpath.join('') };
  }
  return rest[0] === companionFolder
    ? parseCompanion(exact, rest.slice(1))
    : { kind: 'exact', ...exact, ...parseInner(rest) };
}

function parseCompanion(head: ExactPackage, parts: readonly string[]): ExactAddress | undefined {
  const { name, wish, rest } = parsePackage(parts) ?? { name: '', wish: '', rest: [] };
  const exact = toExact(name, wish, `${head.base}/${companionFolder}/`);
  if (exact === undefined || rest[0] === companionFolder) return undefined;
  return { kind: 'exact', ...exact, head, ...parseInner(rest) };
}

/** Whether an address is that of a package or of its companions, by the package's own. */
export function isInside(base: string, address: string): boolean {
  return address === base || address.startsWith(`${base}/`) || address.startsWith(`${base}?`);
}

/** `1.0.0~k2jq…` → version and link; undefined for a range. */
function toExact(name: string, wish: string, before: string): ExactPackage | undefined {
  const [, version = '', link] = /^(.*)~([a-z2-7]{16})$/.exec(wish) ?? [];
  if (link === undefined || !isExactVersion(version)) return undefined;
  return { name, version, link, base: `${before}${name}@${version}~${link}` };
}

/** One part of a path, or undefined if it could be read as more than one or as none. */
function decodePart(encoded: string): string | undefined {
  const part = decode(encoded);
  if (part === undefined || part === '' || part === '.' || part === '..') return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  return /[/\\\x00-\x1f\x7f]/.test(part) ? undefined : part;
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** `@a`, `b@^1`, `c` → name `@a/b`, wish `^1`, rest `c`. */
function parsePackage(
  parts: readonly string[],
): { name: string; wish: string; rest: readonly string[] } | undefined {
  const nameParts = parts[0]?.startsWith('@') ? 2 : 1;
  const text = parts.slice(0, nameParts).join('/');
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const wish = at === -1 ? 'latest' : text.slice(at + 1);
  return isPackageName(name) && wish !== ''
    ? { name, wish, rest: parts.slice(nameParts) }
    : undefined;
}

function parseInner(parts: readonly string[]): Pick<ExactAddress, 'part' | 'path'> {
  const [first = '', ...rest] = parts;
  for (const [folder, part] of innerFolders) {
    if (first === folder && rest.length > 0) return { part, path: rest.join('/') };
  }
  return { part: 'module', path: ['.', ...parts].join('/') };
}
