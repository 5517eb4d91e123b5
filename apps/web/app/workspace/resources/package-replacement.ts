/** Replaces what a page loads from an npm CDN by packages of the project. */
import type { FileEdits } from '@vitrine/editor/language-service';
import type { PackageRequest } from '@vitrine/esm/messages';
import { resolvePath } from '@vitrine/compiler/resolve-path';
import { findCdnPackage, type CdnPackage } from '../../packages/cdn-urls.ts';
import {
  parseAddress,
  readPage,
  removeElement,
  setLoading,
  type OwnScript,
  type PageOutline,
  type PageResource,
} from './page-resources.ts';

/** How a resource is replaced. */
interface PackageReplacement {
  /** Name of the package, for messages. */
  readonly name: string;
  /** Packages to add first; none for what the compiler has built in. */
  readonly packages: readonly PackageRequest[];
  /** Edits of the page and of other files. Undefined if the user has to write the import. */
  readonly edits: readonly FileEdits[] | undefined;
  /** Code that uses the package: "import $ from 'jquery';". */
  readonly code: string;
}

/** Whether a resource's URL is that of an npm package, so that `planReplacement` has a plan. */
export function isReplaceable({ kind, address }: PageResource): boolean {
  const url = parseAddress(address);
  if (!url || kind === 'link') return false;
  const found = findCdnPackage(address);
  if (isTailwind(url, found)) return true;
  return found !== undefined && (kind === 'script' || findStylesheet(url, found) !== undefined);
}

function isTailwind({ hostname }: URL, found: CdnPackage | undefined): boolean {
  return hostname === 'cdn.tailwindcss.com' || found?.name === '@tailwindcss/browser';
}

/**
 * Plans the replacement of a resource of a page. Undefined if its URL isn't that of an npm package.
 *
 * @param files Texts of the project, by path.
 * @param path Path of the page.
 */
export function planReplacement(
  files: ReadonlyMap<string, string>,
  path: string,
  resource: PageResource,
): PackageReplacement | undefined {
  const text = files.get(path) ?? '';
  const page = readPage(text);
  const url = parseAddress(resource.address);
  if (!url || resource.kind === 'link') return undefined;
  const found = findCdnPackage(resource.address);
  if (isTailwind(url, found))
    return planStylesheet({ files, path, text, page, resource }, 'tailwindcss', 'tailwindcss', []);
  if (!found) return undefined;
  const { name, range } = found;
  const packages = [range === undefined ? { name } : { name, range }];
  const context = { files, path, text, page, resource };
  if (resource.kind === 'stylesheet') {
    const specifier = findStylesheet(url, found);
    return specifier === undefined ? undefined : planStylesheet(context, name, specifier, packages);
  }
  if (resource.loading === 'module') {
    const code = `import '${found.specifier}';`;
    const { from, to } = resource;
    const edit = { from, to, insert: `<script type="module">${code}</script>` };
    return { name, packages, code, edits: [{ path, edits: [edit] }] };
  }
  return planClassicScript(context, found, packages);
}

interface Context {
  readonly files: ReadonlyMap<string, string>;
  readonly path: string;
  readonly text: string;
  readonly page: PageOutline;
  readonly resource: PageResource;
}

/** Specifier of a stylesheet in a package: "bootstrap/dist/css/bootstrap.min.css". */
function findStylesheet({ pathname }: URL, { name, host }: CdnPackage): string | undefined {
  // cdnjs has other files than npm.
  if (!pathname.endsWith('.css') || host === 'cdnjs.cloudflare.com') return undefined;
  const [, rest] = pathname.split(new RegExp(`/${name.replaceAll('.', '\\.')}(?:@[^/]*)?/`));
  return rest === undefined ? undefined : `${name}/${rest}`;
}

/** Imports the stylesheet in the first one of the project that the page links. */
function planStylesheet(
  { files, path, text, page, resource }: Context,
  name: string,
  specifier: string,
  packages: readonly PackageRequest[],
): PackageReplacement {
  const code = `@import "${specifier}";`;
  const own = page.ownStylesheets
    .map(({ href }) => resolvePath(path, href))
    .find((each) => each !== undefined && each.endsWith('.css') && files.has(each));
  if (own === undefined) return { name, packages, code, edits: undefined };
  const charset = /^@charset[^;]*;\s*/.exec(files.get(own) ?? '')?.[0].length ?? 0;
  return {
    name,
    packages,
    code,
    edits: [
      { path, edits: [removeElement(text, resource)] },
      { path: own, edits: [{ from: charset, to: charset, insert: `${code}\n` }] },
    ],
  };
}

/** What imports in place of globals: global name → what is imported, and from where if it differs. */
const globals: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  axios: { axios: 'axios' },
  'canvas-confetti': { confetti: 'confetti' },
  'chart.js': { Chart: 'Chart from chart.js/auto' },
  d3: { d3: '* as d3' },
  dayjs: { dayjs: 'dayjs' },
  dompurify: { DOMPurify: 'DOMPurify' },
  gsap: { gsap: '{ gsap }' },
  howler: { Howl: '{ Howl }', Howler: '{ Howler }' },
  immutable: { Immutable: '* as Immutable' },
  jquery: { $: '$', jQuery: 'jQuery' },
  leaflet: { L: 'L' },
  lodash: { _: '_' },
  luxon: { luxon: '* as luxon' },
  marked: { marked: '{ marked }' },
  mathjs: { math: '* as math' },
  'matter-js': { Matter: 'Matter' },
  moment: { moment: 'moment' },
  'pixi.js': { PIXI: '* as PIXI' },
  ramda: { R: '* as R' },
  react: { React: 'React' },
  'react-dom': { ReactDOM: 'ReactDOM from react-dom/client' },
  rxjs: { rxjs: '* as rxjs' },
  'socket.io-client': { io: '{ io }' },
  three: { THREE: '* as THREE' },
  tone: { Tone: '* as Tone' },
  underscore: { _: '_' },
  uuid: { uuid: '* as uuid' },
};

/**
 * Imports the package in the scripts of the project that use its global, which become modules. That
 * isn't done if it could break something else: another script from another host that may need the
 * global, an attribute such as `onclick`, or scripts of the project that would then run in another
 * order.
 */
function planClassicScript(
  { files, path, text, page, resource }: Context,
  found: CdnPackage,
  packages: readonly PackageRequest[],
): PackageReplacement {
  const { name } = found;
  const known = globals[name];
  const listImports = (names: readonly string[]) =>
    names.map((global) => {
      const [clause = global, from = found.specifier] = (known?.[global] ?? global).split(' from ');
      return `import ${clause} from '${from}';`;
    });
  const [firstName = toIdentifier(name)] = Object.keys(known ?? {});
  const [code = ''] = listImports([firstName]);
  const manual = { name, packages, code, edits: undefined };
  const later = page.ownScripts.filter(({ from }) => from > resource.from);
  const isAloneOutside = page.resources.every(
    (each) => each.kind !== 'script' || each.loading === 'module' || each.from <= resource.from,
  );
  const scripts = later.map((script) => readScript(script, files, path));
  if (!known || !isAloneOutside) return manual;
  const pageEdits = [removeElement(text, resource)];
  const edits: FileEdits[] = [];
  let usesAny = false;
  for (const script of scripts) {
    const { own, content } = script;
    if (content === undefined) return manual;
    const used = Object.keys(known).filter((global) => mentions(content, global));
    if (used.length === 0 && own.isModule) continue;
    if (!own.isModule && page.hasEventAttributes) return manual;
    usesAny ||= used.length > 0;
    const insert = listImports(used).join('\n');
    if (!own.isModule) pageEdits.push(setLoading(text, own, 'module'));
    if (used.length === 0) continue;
    if (script.path === undefined) {
      const at = own.content.from;
      pageEdits.push({ from: at, to: at, insert: `\n${insert}` });
    } else edits.push({ path: script.path, edits: [{ from: 0, to: 0, insert: `${insert}\n` }] });
  }
  if (!usesAny) return manual;
  pageEdits.sort((a, b) => a.from - b.from || a.to - b.to);
  return { name, packages, code, edits: [{ path, edits: pageEdits }, ...edits] };
}

/** A script's text and, unless it's inline, its path. */
function readScript(own: OwnScript, files: ReadonlyMap<string, string>, page: string) {
  if (own.src === undefined) return { own, path: undefined, content: own.content.text };
  const path = resolvePath(page, own.src);
  return { own, path, content: path === undefined ? undefined : files.get(path) };
}

function mentions(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(code);
}

/** "canvas-confetti" → "canvasConfetti", "@scope/name" → "name" */
function toIdentifier(name: string): string {
  const words = name.replace(/^@[^/]*\//, '').split(/[^A-Za-z0-9]+/);
  const joined = words
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}
