import { isRecord } from '@vitrine/project';
import { findCdnPackage } from '../../packages/cdn-urls.ts';
import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { isCodeHash, readCodeHash } from './code-link.ts';
import { readCodeSandboxParameters } from './codesandbox.ts';
import { readCodePenData } from './codepen.ts';
import { damaged, decodeBase64, decompress, decompressLz, parseLinkJson } from './decode.ts';
import { readLiveCodesLink } from './livecodes.ts';
import { createManifests, findPackages } from './manifests.ts';
import {
  createImportMap,
  createMain,
  createPage,
  createPageProject,
  hasModuleSyntax,
} from './page-project.ts';

/**
 * Reads a link of a playground that keeps the code in the link itself: of the Vue, Svelte, Solid
 * and TypeScript playgrounds, LiveCodes, CodeSandbox's and CodePen's `define`, and of Vitrine.
 * Nothing is requested. Undefined if the link isn't one of them, or has no code. Rejects with
 * `link_damaged` or `project_too_large`.
 */
export async function readPlaygroundLink(url: URL): Promise<ImportedFiles | undefined> {
  const { hash, hostname, pathname, searchParams } = url;
  const host = hostname.replace(/^www\./, '');
  const code = hash.slice(1);
  if (pathname === '/new' && isCodeHash(hash)) return readCodeHash(hash);
  switch (host) {
    case 'play.vuejs.org':
    case 'sfc.vuejs.org':
      return code === '' ? undefined : readVueLink(code);
    case 'svelte.dev':
      return code !== '' && /^\/(?:playground|repl)\b/.test(pathname)
        ? readSvelteLink(code, searchParams.get('version'))
        : undefined;
    case 'playground.solidjs.com':
      return code === '' ? undefined : readSolidLink(code);
    case 'typescriptlang.org':
      return /^#(?:code|src)[/=]/.test(hash) ? readTypeScriptLink(hash, searchParams) : undefined;
    case 'livecodes.io':
    case 'dev.livecodes.io':
      return readLiveCodesLink(url);
    case 'codesandbox.io': {
      const parameters = searchParams.get('parameters');
      return parameters === null ? undefined : readCodeSandboxParameters(parameters);
    }
    case 'codepen.io': {
      const data = searchParams.get('data');
      return data === null ? undefined : readCodePenData(data);
    }
    default:
      return undefined;
  }
}

/** The hash: flags, then Base64 of zlib of JSON `{ path: text }`; once Base64 of UTF-8 alone. */
async function readVueLink(hash: string): Promise<ImportedFiles> {
  const bytes = decodeBase64(decodeURIComponentSafely(hash).replace(/^(?:__[A-Z]+__)+/, ''));
  const text =
    bytes[0] === 0x78 ? await decompress(bytes, 'deflate') : new TextDecoder().decode(bytes);
  const content = parseLinkJson(text);
  if (!isRecord(content)) throw damaged();
  const files = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  let importMap: unknown;
  for (const [name, value] of Object.entries(content)) {
    if (name === 'import-map.json' && typeof value === 'string') importMap = parseLinkJson(value);
    else if (name === 'tsconfig.json' && typeof value === 'string') files.set(name, value);
    else if (typeof value !== 'string' || name === '_o')
      leftOut.push({ path: name === '_o' ? 'Compiler options' : name, reason: 'settings' });
    else files.set(name.startsWith('src/') ? name : `src/${name}`, value);
  }
  const app = files.has('src/App.vue')
    ? 'src/App.vue'
    : [...files.keys()].find((path) => path.endsWith('.vue'));
  if (app === undefined) throw damaged();
  return createComponentProject({
    files,
    leftOut,
    importMap,
    builtIn: ['vue', 'vue/server-renderer', '@vue/server-renderer'],
    main: [findMainPath(files), createMain('vue', app.slice('src/'.length))],
    packages: ['vue'],
  });
}

/** The hash: Base64 for URLs of gzip of JSON `{ name, files: [{ name, contents }] }`. */
async function readSvelteLink(hash: string, version: string | null): Promise<ImportedFiles> {
  const content = parseLinkJson(await decompress(decodeBase64(hash), 'gzip'));
  if (!isRecord(content) || !Array.isArray(content['files'])) throw damaged();
  const files = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  for (const file of content['files']) {
    const { name, type, contents, source, text } = isRecord(file) ? file : {};
    const code = contents ?? source;
    if (typeof name !== 'string') throw damaged();
    // Links of 2024 and before have the extension as the type.
    const path = typeof source === 'string' && typeof type === 'string' ? `${name}.${type}` : name;
    if (typeof code === 'string' && text !== false) files.set(`src/${path}`, code);
    else leftOut.push({ path, reason: 'binary' });
  }
  if (!files.has('src/App.svelte')) throw damaged();
  const range = /^\d+(?:\.\d+)*/.exec(version ?? '')?.[0];
  const isOld = range !== undefined && Number.parseInt(range, 10) < 5;
  const { name, tailwind } = content;
  if (tailwind === true) files.set('src/tailwind.css', '@import "tailwindcss";\n');
  return createComponentProject({
    ...(typeof name === 'string' && { title: name }),
    files,
    leftOut,
    main: [findMainPath(files), createMain(isOld ? 'svelte-4' : 'svelte', 'App.svelte')],
    packages: ['svelte'],
    ...(range !== undefined && { ranges: new Map([['svelte', `^${range}`]]) }),
    ...(tailwind === true && { stylesheet: 'src/tailwind.css' }),
  });
}

/** The hash: lz-string of JSON `[{ name, source }]`. The first of them renders to `#app`. */
function readSolidLink(hash: string): ImportedFiles {
  const tabs = parseLinkJson(decompressLz(decodeURIComponentSafely(hash)));
  if (!Array.isArray(tabs)) throw damaged();
  const files = new Map<string, string>();
  let importMap: unknown;
  for (const tab of tabs) {
    const { name, source, type } = isRecord(tab) ? tab : {};
    if (typeof name !== 'string' || typeof source !== 'string') throw damaged();
    // Links of 2021 have the extension as the type.
    const path = typeof type === 'string' && !name.includes('.') ? `${name}.${type}` : name;
    if (path === 'import_map.json') importMap = parseLinkJson(source);
    else files.set(`src/${path}`, source);
  }
  const main = ['src/main.tsx', 'src/main.jsx'].find((path) => files.has(path));
  const entry = main ?? [...files.keys()].find((path) => /\.[jt]sx?$/.test(path));
  if (entry === undefined) throw damaged();
  files.set(
    'tsconfig.json',
    `${JSON.stringify({ compilerOptions: { jsx: 'preserve', jsxImportSource: 'solid-js' } }, null, 2)}\n`,
  );
  return createComponentProject({
    files,
    leftOut: [],
    importMap:
      isRecord(importMap) && !isRecord(importMap['imports']) ? { imports: importMap } : importMap,
    main: [entry, files.get(entry) ?? ''],
    packages: ['solid-js'],
    ranges: new Map([['solid-js', '^1.9.0']]),
  });
}

/** `#code/` and lz-string of the code; `filetype`, `ts` and compiler options in the query. */
function readTypeScriptLink(hash: string, query: URLSearchParams): ImportedFiles {
  const data = decodeURIComponentSafely(hash.replace(/^#(?:code|src)[/=]/, ''));
  const code = hash.startsWith('#src') ? data : decompressLz(data);
  const options = [...query.keys()].filter(
    (name) => !/^(?:filetype|ssl|ssc|pln|pc|q|e|useJavaScript)$/.test(name),
  );
  const isScript = query.get('filetype') === 'js' || query.get('useJavaScript') === 'true';
  const hasMarkup =
    /(?:return|=>|[=(?:,&])\s*\(?\s*<(?:>|[A-Za-z][\w.]*(?:\s[^<>]*)?\/?>)/.test(code) &&
    /<\/|\/>/.test(code);
  const language = isScript ? (hasMarkup ? 'jsx' : 'js') : hasMarkup ? 'tsx' : 'ts';
  const project = createPageProject({
    js: { code, language },
    leftOut: options.map((name) => ({ path: name, reason: 'settings' })),
  });
  // Playground code is a module, even without imports: its names aren't those of the page.
  const page = project.files.get('index.html');
  const files = new Map(project.files);
  if (typeof page === 'string' && !hasModuleSyntax(code))
    files.set('index.html', page.replace('<script src=', '<script type="module" src='));
  return { ...project, files };
}

/** A path for the script that renders the first component. The playground's own is in no file. */
function findMainPath(files: ReadonlyMap<string, string>): string {
  const paths = ['src/main.js', 'src/index.js', 'src/start.js'];
  return paths.find((path) => !files.has(path)) ?? 'src/start-app.js';
}

interface ComponentProject {
  readonly title?: string;
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  /** Import map of the playground: addresses of CDNs become packages, others stay. */
  readonly importMap?: unknown;
  /** Keys of the import map that the playground adds itself. */
  readonly builtIn?: readonly string[];
  readonly main: readonly [path: string, text: string];
  /** Packages that the project has even if no file imports them. */
  readonly packages: readonly string[];
  readonly ranges?: ReadonlyMap<string, string>;
  readonly stylesheet?: string;
}

/** Creates the project of components with the page and the script that render the first. */
function createComponentProject(project: ComponentProject): ImportedFiles {
  const { importMap, main, builtIn = [] } = project;
  const files = new Map<string, string>([...project.files, main]);
  const ranges = new Map(project.ranges);
  const kept: Record<string, string> = {};
  const imports = isRecord(importMap) && isRecord(importMap['imports']) ? importMap['imports'] : {};
  for (const [name, address] of Object.entries(imports)) {
    if (typeof address !== 'string') continue;
    const found = findCdnPackage(address);
    const range = found?.range;
    // "vue" is at @vue/runtime-dom, which has the same version.
    if (builtIn.includes(name)) {
      if (name === 'vue' && range !== undefined) ranges.set(name, acceptUpdates(range));
    } else if (found && (name === found.name || name === `${found.name}/`))
      ranges.set(found.name, range === undefined ? '*' : acceptUpdates(range));
    else kept[name] = address;
  }
  const packages = findPackages(files.values());
  for (const name of project.packages) packages.add(name);
  for (const name of Object.keys(kept)) packages.delete(name.replace(/\/$/, ''));
  for (const [path, text] of createManifests(packages, ranges)) files.set(path, text);
  const head = [
    ...(Object.keys(kept).length > 0 ? [createImportMap(kept)] : []),
    ...(project.stylesheet === undefined
      ? []
      : [`<link rel="stylesheet" href="${project.stylesheet}" />`]),
  ];
  const { title } = project;
  const page = createPage(title === undefined ? {} : { title }, {
    code: '',
    mount: '<div id="app"></div>',
    head,
    body: [`<script type="module" src="${encodeURI(main[0])}"></script>`],
  });
  files.set('index.html', page);
  return { ...(title !== undefined && { title }), files, leftOut: project.leftOut };
}

/** "3.4.21" → "^3.4.21". Ranges stay. */
function acceptUpdates(range: string): string {
  return /^\d+\.\d+\.\d+/.test(range) ? `^${range}` : range;
}

/** Decodes "%2B", which some programs write into links. Throws `link_damaged`. */
function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) throw damaged(error);
    throw error;
  }
}
