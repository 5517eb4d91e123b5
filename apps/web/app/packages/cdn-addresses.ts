import { isPackageName } from '@vitrine/project';

/** What an address of a well-known package host stands for. */
export interface CdnPackage {
  readonly name: string;
  /** The version or range in the address; undefined for the latest. */
  readonly range: string | undefined;
  /** How a module imports it: "three", or "three/addons/loaders/GLTFLoader.js". */
  readonly specifier: string;
  /** Where the address leads: "unpkg.com". */
  readonly host: string;
}

/** Hosts whose paths are read as what a module would import, and hosts whose paths are files. */
type PathMeaning = 'specifier' | 'file';

interface Host {
  /** Takes what stands before the package's name out of a path. */
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
 * The package behind an address of a host that is known to serve npm; undefined for any other.
 * https://esm.sh/react-dom@19/client → react-dom at 19, imported as "react-dom/client"
 * https://unpkg.com/three@0.160.0/build/three.module.js → three at 0.160.0, imported as "three"
 */
export function findCdnPackage(address: string): CdnPackage | undefined {
  const whole = address.startsWith('//') ? `https:${address}` : address;
  if (!URL.canParse(whole)) return undefined;
  const { protocol, hostname, pathname } = new URL(whole);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (hostname === cdnjs) return findOnCdnjs(pathname);
  const host = hosts[hostname];
  const rest = host && decode(pathname).replace(host.prefix, '');
  if (!host || rest === undefined || rest === decode(pathname)) return undefined;
  const [, name = '', version, path = ''] = packagePath.exec(rest) ?? [];
  if (!isPackageName(name)) return undefined;
  const isEsm = path === '/+esm' || path.endsWith('/+esm');
  const wanted = path.replace(/\/\+esm$/, '').replace(/\/$/, '');
  const subpath =
    host.meaning === 'specifier' || isEsm ? specifierPath(wanted) : filePath(name, wanted);
  return { name, range: parseRange(version), specifier: name + subpath, host: hostname };
}

/** NAME@VERSION/PATH, where a name may have a scope. */
const packagePath = /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]*))?(\/.*)?$/;

/** Paths that a host made for its own build of the module mean the package itself. */
function specifierPath(path: string): string {
  return /^\/(?:es\d{4}|esnext|deno|denonext|node|mode=|dist-)/.test(path) ? '' : path;
}

/** Their main modules leave something out that the file which was chosen may have. */
const chosenByFile: ReadonlySet<string> = new Set(['vue']);

/**
 * A package's own bundle means its main module, so that there is one copy of it:
 * "/build/three.module.js" of three → "", "/hooks/dist/hooks.module.js" of preact → "/hooks",
 * "/examples/jsm/libs/stats.module.js" of three → the same
 */
function filePath(name: string, path: string): string {
  const [, folder = '', file = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
  if (file === '' || chosenByFile.has(name)) return path;
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

const cdnjs = 'cdnjs.cloudflare.com';

/** Libraries that the host lists under a name of its own, and theirs in npm. */
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

/** Those whose name there is the one in npm. */
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
  // Files there are laid out otherwise than in npm, so only the package itself can be told.
  return name ? { name, range: parseRange(version), specifier: name, host: cdnjs } : undefined;
}

/** "0.160.0" → itself; "v17.0.1-abcdef123456789" of a pinned build → "17.0.1"; "latest" → undefined */
function parseRange(version: string | undefined): string | undefined {
  if (version === undefined || version === '' || version === 'latest') return undefined;
  return version.replace(/^v(?=\d)/, '').replace(/-[A-Za-z0-9]{16,}$/, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A stray `%` names no package.
    if (error instanceof URIError) return '';
    throw error;
  }
}
