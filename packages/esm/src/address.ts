import { isExactVersion, isPackageName } from '@vitrine/project';

/*
 * The addresses under /npm. A path is taken apart at its slashes first and each part decoded after,
 * so no encoded slash, dot or null can become structure; what is not understood is refused. Nothing
 * of an address is ever joined into a path of the file system without having passed here.
 *
 *   /npm/three@0.187.0~k2jq…/addons/x.js  →  exact, module, subpath './addons/x.js'
 *   /npm/@a/b@1.0.0~k2jq…/-/dist/b.wasm   →  exact, raw, path 'dist/b.wasm'
 *   /npm/three@^0.180/examples            →  range '^0.180', subpath '/examples'
 *   /npm/-/search                         →  service 'search'
 */
export type PackageAddress = ExactAddress | RangeAddress | ServiceAddress;

/** One package in one lock: answers never change. */
export interface ExactAddress {
  readonly kind: 'exact';
  readonly name: string;
  readonly version: string;
  readonly link: string;
  /** `/npm/NAME@VERSION~LINK`. */
  readonly base: string;
  readonly part: 'module' | 'raw' | 'chunk' | 'worker';
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
] as const);

/** Undefined for what is no address of ours: to be answered 400. */
export function parsePackageAddress(pathname: string): PackageAddress | undefined {
  if (!pathname.startsWith('/npm/') || pathname.length > pathMaxLength) return undefined;
  const encoded = pathname.slice('/npm/'.length).split('/');
  const parts = encoded.map(decodePart);
  if (!parts.every((part) => part !== undefined)) return undefined;
  if (parts[0] === '-') return { kind: 'service', parts: parts.slice(1) };
  const nameParts = parts[0]?.startsWith('@') ? 2 : 1;
  const package_ = parsePackage(parts.slice(0, nameParts).join('/'));
  if (package_ === undefined) return undefined;
  const { name, wish } = package_;
  const [, version = '', link] = /^(.*)~([a-z2-7]{16})$/.exec(wish) ?? [];
  if (link === undefined || !isExactVersion(version)) {
    const subpath = encoded.slice(nameParts).map((part) => `/${part}`);
    return { kind: 'range', name, wish, subpath: subpath.join('') };
  }
  const base = `/npm/${name}@${version}~${link}`;
  return { kind: 'exact', name, version, link, base, ...parseInner(parts.slice(nameParts)) };
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

/** `@a/b@^1` → name `@a/b`, wish `^1`. */
function parsePackage(text: string): { name: string; wish: string } | undefined {
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const wish = at === -1 ? 'latest' : text.slice(at + 1);
  return isPackageName(name) && wish !== '' ? { name, wish } : undefined;
}

function parseInner(parts: readonly string[]): Pick<ExactAddress, 'part' | 'path'> {
  const [first = '', ...rest] = parts;
  for (const [folder, part] of innerFolders) {
    if (first === folder && rest.length > 0) return { part, path: rest.join('/') };
  }
  return { part: 'module', path: ['.', ...parts].join('/') };
}
