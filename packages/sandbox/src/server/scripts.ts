import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { toolNames } from '../tool-messages.ts';
import { buildBundleCached } from './bundle-cache.ts';

/** Scripts of previews, with this server's values inserted. */
export interface PreviewScripts {
  /** URL of the frame's script; its hash makes it cacheable forever. */
  frameUrl: string;
  /** URL of the script of the srcdoc transport's page. */
  srcdocFrameUrl: string;
  /** URL of the first script of workers. */
  workerScriptUrl: string;
  /** URL of the script of the DevTools page. */
  devtoolsUrl: string;
  /** The frame's scripts and those it loads on demand, by path. */
  byPath: ReadonlyMap<string, string>;
  serviceWorker: string;
}

/** Browsers that previews support. */
export const browserTargets = ['chrome120', 'firefox128', 'safari17'];

const entryScripts = {
  frame: '../frame/main.ts',
  'srcdoc-frame': '../frame/srcdoc-main.ts',
  'devtools-page': '../devtools/main.ts',
  'service-worker': '../service-worker/main.ts',
};

/** Scripts that the frame's script loads on demand from `/__vitrine/NAME.js?HASH`. */
const lazyScripts = {
  'react-refresher': '../frame/hmr/react-refresher.ts',
  'preact-refresher': '../frame/hmr/preact-refresher.ts',
  ...Object.fromEntries(toolNames.map((name) => [name, `../frame/tools/${name}.ts`])),
};

/** Scripts that run elsewhere, so they get none of this server's values. */
const srcdocScripts = { 'single-file': '../frame/single-file/main.ts' };

/** First scripts of workers, built for an environment without the DOM. */
const workerScripts = { 'worker-console': '../frame/workers/worker-console.ts' };

/** Modules loaded on demand. */
const lazyModules = { 'console-responses': '../frame/console/console-responses.ts' };

const preactOfProject = fileURLToPath(
  new URL('../frame/hmr/preact-of-project.ts', import.meta.url),
);

/** Builds the scripts; `folder` caches the bundles for the next start. */
export async function buildScripts(
  appOrigins: readonly string[],
  folder?: string,
): Promise<PreviewScripts> {
  const [first, scripts, srcdoc, workers, modules] = await Promise.all([
    bundleEach(entryScripts, 'iife', folder),
    bundleEach(lazyScripts, 'iife', folder),
    bundleEach(srcdocScripts, 'iife', folder),
    bundleEach(workerScripts, 'iife', folder, [fromHere('../frame/workers/worker-globals.ts')]),
    bundleEach(lazyModules, 'esm', folder),
  ]);
  const origins = { APP_ORIGINS: appOrigins };
  // Only the frame's scripts load others.
  const nothing = { ...origins, SCRIPT_URLS: {} };
  const later = new Map(
    [...scripts, ...workers].map(([name, text]) => [name, insertValues(text, nothing)]),
  );
  for (const [name, text] of modules) later.set(name, text);
  const urls = Object.fromEntries(Array.from(later, ([name, text]) => [name, urlOf(name, text)]));
  const known = { ...origins, SCRIPT_URLS: urls };
  const textOf = (name: keyof typeof entryScripts) => first.get(name) ?? '';
  const frame = insertValues(textOf('frame'), known);
  const srcdocFrame = insertValues(textOf('srcdoc-frame'), known);
  const devtools = insertValues(textOf('devtools-page'), nothing);
  const frameUrl = urlOf('frame', frame);
  const workerScriptUrl = urls['worker-console'] ?? '';
  const named = [
    ...later,
    ...srcdoc,
    ['frame', frame],
    ['srcdoc-frame', srcdocFrame],
    ['devtools-page', devtools],
  ] as const;
  return {
    frameUrl,
    srcdocFrameUrl: urlOf('srcdoc-frame', srcdocFrame),
    workerScriptUrl,
    devtoolsUrl: urlOf('devtools-page', devtools),
    byPath: new Map(named.map(([name, text]) => [`/__vitrine/${name}.js`, text])),
    serviceWorker: insertValues(textOf('service-worker'), {
      ...origins,
      FRAME_SCRIPT: frameUrl,
      WORKER_SCRIPT: workerScriptUrl,
    }),
  };
}

/**
 * Inserts values for names that a script declares without defining, so that one bundle works for every server.
 * `a(NAME)` → `((NAME)=>{a(NAME)})("value");`
 */
export function insertValues(script: string, known: Readonly<Record<string, unknown>>): string {
  const values = Object.values(known).map((value) => JSON.stringify(value));
  return `((${Object.keys(known).join()})=>{${script}})(${values.join()});\n`;
}

function urlOf(name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `/__vitrine/${name}.js?${hash}`;
}

/** Builds one bundle per entry, by name. */
async function bundleEach(
  entries: Readonly<Record<string, string>>,
  format: 'iife' | 'esm',
  folder: string | undefined,
  inject: string[] = [],
): Promise<Map<string, string>> {
  const bundled = Object.entries(entries).map(async ([name, entry]) => {
    const options = {
      entryPoints: { [name]: fromHere(entry) },
      minify: true,
      format,
      target: browserTargets,
      legalComments: 'none' as const,
      inject,
      define: { 'process.env.NODE_ENV': '"development"' },
      // Preact's refresh runtime has to use the project's own copy of Preact.
      alias: { preact: preactOfProject },
    };
    const { files } = await buildBundleCached(options, folder);
    return [name, files.get(`${name}.js`) ?? ''] as const;
  });
  return new Map(await Promise.all(bundled));
}

function fromHere(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
