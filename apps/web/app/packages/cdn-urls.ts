import { isPackageName } from '@vitrine/esm/lockfile';

/** The npm package that a CDN URL refers to. */
export interface CdnPackage {
  readonly name: string;
  /** The version or range in the URL; undefined for the latest. */
  readonly range: string | undefined;
  /** The specifier to import: "three", or "three/addons/loaders/GLTFLoader.js". */
  readonly specifier: string;
  /** The URL's host: "unpkg.com". */
  readonly host: string;
}

/** Whether a host's paths are import specifiers or files of the package. */
type PathMeaning = 'specifier' | 'file';

interface Host {
  /** Matches the part of a path before the package name. */
  readonly prefix: RegExp;
  readonly meaning: PathMeaning;
}

const hosts: Readonly<Record<string, Host>> = {
  'unpkg.com': { prefix: /^\//, meaning: 'file' },
  'www.unpkg.com': { prefix: /^\//, meaning: 'file' },
  'cdn.jsdelivr.net': { prefix: /^\/npm\//, meaning: 'file' },
  'esm.run': { prefix: /^\//, meaning: 'specifier' },
  'esm.sh': { prefix: /^\/(?:(?:stable|v\d+)\/)?(?:npm:)?\*?/, meaning: 'specifier' },
  'cdn.esm.sh': { prefix: /^\/(?:(?:stable|v\d+)\/)?\*?/, meaning: 'specifier' },
  'cdn.skypack.dev': { prefix: /^\/(?:pin\/)?/, meaning: 'specifier' },
  'cdn.pika.dev': { prefix: /^\//, meaning: 'specifier' },
  'jspm.dev': { prefix: /^\/(?:npm:)?/, meaning: 'specifier' },
  'ga.jspm.io': { prefix: /^\/npm:/, meaning: 'file' },
};

/**
 * Finds the package of a URL of a known npm CDN; undefined for any other URL.
 * https://esm.sh/react-dom@19/client → react-dom at 19, imported as "react-dom/client"
 * https://unpkg.com/three@0.160.0/build/three.module.js → three at 0.160.0, imported as "three"
 */
export function findCdnPackage(address: string): CdnPackage | undefined {
  const url = address.startsWith('//') ? `https:${address}` : address;
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, pathname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (hostname === cdnjs) return findOnCdnjs(pathname);
  if (hostname === jqueryHost) return findJquery(pathname);
  const host = hosts[hostname];
  const rest = host && decode(pathname).replace(host.prefix, '');
  if (!host || rest === undefined || rest === decode(pathname)) return undefined;
  const [, name = '', version, path = ''] = packagePath.exec(rest) ?? [];
  if (!isPackageName(name)) return undefined;
  const isEsm = path === '/+esm' || path.endsWith('/+esm');
  const cleanPath = path.replace(/\/\+esm$/, '').replace(/\/$/, '');
  const subpath =
    host.meaning === 'specifier' || isEsm ? specifierPath(cleanPath) : filePath(name, cleanPath);
  return { name, range: parseRange(version), specifier: name + subpath, host: hostname };
}

/** NAME@VERSION/PATH, where the name may have a scope. */
const packagePath = /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]*))?(\/.*)?$/;

/** Paths of a host's own builds refer to the package's main module. */
function specifierPath(path: string): string {
  return /^\/(?:es\d{4}|esnext|deno|denonext|node|mode=|dist-)/.test(path) ? '' : path;
}

/** Packages whose files differ from the main module: Vue's builds with and without the compiler. */
const keepsFile: ReadonlySet<string> = new Set(['vue']);

/**
 * Maps the package's own bundle to its main module, so that only one copy is loaded:
 * "/build/three.module.js" of three → "", "/hooks/dist/hooks.module.js" of preact → "/hooks",
 * "/examples/jsm/libs/stats.module.js" of three → the same
 */
function filePath(name: string, path: string): string {
  const [, folder = '', file = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
  if (file === '' || keepsFile.has(name)) return path;
  const owner = folder.replace(builtFolder, '');
  const subject =
    owner === '' ? name.replace(/^@[^/]+\//, '') : owner.slice(owner.lastIndexOf('/') + 1);
  const [base = ''] = file.split(
    /\.(?:module|esm|es|umd|cjs|iife|min|prod|production|development|global|browser|m?js)\b|-browser|\+/,
  );
  const isOwn =
    base === subject ||
    base === subject.replace(/\.?js$/, '') ||
    base === 'index' ||
    base === 'main';
  return isOwn && (owner !== folder || owner === '') ? owner : path;
}

const builtFolder =
  /\/(?:dist|build|lib|es|esm|umd|cjs|module|bundles?)(?:\/(?:esm?|umd|cjs|module|browser))?$/;

const jqueryHost = 'code.jquery.com';

/** "/jquery-3.7.1.min.js" → jquery at 3.7.1 */
function findJquery(pathname: string): CdnPackage | undefined {
  const [, range] = /^\/jquery-(\d+\.\d+\.\d+)(?:\.slim)?(?:\.min)?\.js$/.exec(pathname) ?? [];
  return range === undefined
    ? undefined
    : { name: 'jquery', range, specifier: 'jquery', host: jqueryHost };
}

const cdnjs = 'cdnjs.cloudflare.com';

/** Name on cdnjs → name on npm, where they differ. */
const cdnjsNames: Readonly<Record<string, string>> = {
  'Chart.js': 'chart.js',
  'backbone.js': 'backbone',
  'handlebars.js': 'handlebars',
  htmx: 'htmx.org',
  'lodash.js': 'lodash',
  'moment.js': 'moment',
  'mustache.js': 'mustache',
  'p5.js': 'p5',
  'socket.io': 'socket.io-client',
  Swiper: 'swiper',
  'three.js': 'three',
  'underscore.js': 'underscore',
};

/** Libraries with the same name on cdnjs and npm. */
const sameOnCdnjs: ReadonlySet<string> = new Set([
  'alpinejs',
  'animejs',
  'axios',
  'bootstrap',
  'd3',
  'dayjs',
  'dompurify',
  'fuse.js',
  'gsap',
  'highlight.js',
  'howler',
  'immutable',
  'jquery',
  'leaflet',
  'lit',
  'lodash-es',
  'luxon',
  'marked',
  'matter-js',
  'mathjs',
  'phaser',
  'pixi.js',
  'preact',
  'ramda',
  'react',
  'react-dom',
  'rxjs',
  'tone',
  'uuid',
  'vue',
]);

function findOnCdnjs(pathname: string): CdnPackage | undefined {
  const [, library = '', version] = /^\/ajax\/libs\/([^/]+)\/([^/]+)\//.exec(pathname) ?? [];
  const name = cdnjsNames[library] ?? (sameOnCdnjs.has(library) ? library : undefined);
  // cdnjs has a different file layout than npm, so the path is dropped.
  return name ? { name, range: parseRange(version), specifier: name, host: cdnjs } : undefined;
}

/**
 * "0.160.0" → itself; "v17.0.1-abcdef123456789" of a pinned build → "17.0.1"; "latest" → undefined
 */
function parseRange(version: string | undefined): string | undefined {
  if (version === undefined || version === '' || version === 'latest') return undefined;
  return version.replace(/^v(?=\d)/, '').replace(/-[A-Za-z0-9]{16,}$/, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A stray `%` can't be part of a package name.
    if (error instanceof URIError) return '';
    throw error;
  }
}
