import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { toolNames } from '../tool-messages.ts';
import { bundle } from './kept-builds.ts';

/** The scripts that previews load, complete with what this server knows. */
export interface PreviewScripts {
  /** Where documents load the frame's script from; the hash in it makes it good for ever. */
  frameAddress: string;
  /** Likewise, for the page of the portable path. */
  portableAddress: string;
  /** Likewise, for workers of projects. */
  workerAddress: string;
  /** Likewise, for the page of the DevTools tab. */
  devtoolsAddress: string;
  /** The frame's scripts, and those that it loads when they are first wanted, by path. */
  byPath: ReadonlyMap<string, string>;
  serviceWorker: string;
}

/** Browsers that a preview runs in. */
export const target = ['chrome120', 'firefox128', 'safari17'];

const firstScripts = {
  frame: '../frame/main.ts',
  'portable-frame': '../frame/portable-main.ts',
  'devtools-page': '../devtools/main.ts',
  'service-worker': '../service-worker/main.ts',
};

/** Loaded by the frame's script when first wanted, from `/__vitrine/NAME.js?HASH`. */
const laterScripts = {
  'react-refresher': '../frame/react-refresher.ts',
  'preact-refresher': '../frame/preact-refresher.ts',
  ...Object.fromEntries(toolNames.map((name) => [name, `../frame/${name}.ts`])),
};

/** Runs first in workers, where much of what a page has is not there. */
const workerScripts = { 'worker-console': '../frame/worker-console.ts' };

/** The same, as modules. */
const laterModules = { 'console-answers': '../frame/console-answers.ts' };

const preactOfProject = fileURLToPath(new URL('../frame/preact-of-project.ts', import.meta.url));

/** `folder` keeps what is built of the sources for the next start. */
export async function buildScripts(
  appOrigins: readonly string[],
  folder?: string,
): Promise<PreviewScripts> {
  const [first, scripts, workers, modules] = await Promise.all([
    bundleEach(firstScripts, 'iife', folder),
    bundleEach(laterScripts, 'iife', folder),
    bundleEach(workerScripts, 'iife', folder, [fromHere('../frame/worker-globals.ts')]),
    bundleEach(laterModules, 'esm', folder),
  ]);
  const origins = { APP_ORIGINS: appOrigins };
  // Only the frame's script loads others.
  const nothing = { ...origins, SCRIPT_ADDRESSES: {} };
  const later = new Map(
    [...scripts, ...workers].map(([name, text]) => [name, complete(text, nothing)]),
  );
  for (const [name, text] of modules) later.set(name, text);
  const addresses = Object.fromEntries(
    Array.from(later, ([name, text]) => [name, addressOf(name, text)]),
  );
  const known = { ...origins, SCRIPT_ADDRESSES: addresses };
  const textOf = (name: keyof typeof firstScripts) => first.get(name) ?? '';
  const frame = complete(textOf('frame'), known);
  const portable = complete(textOf('portable-frame'), known);
  const devtools = complete(textOf('devtools-page'), nothing);
  const frameAddress = addressOf('frame', frame);
  const workerAddress = addresses['worker-console'] ?? '';
  const named = [
    ...later,
    ['frame', frame],
    ['portable-frame', portable],
    ['devtools-page', devtools],
  ] as const;
  return {
    frameAddress,
    portableAddress: addressOf('portable-frame', portable),
    workerAddress,
    devtoolsAddress: addressOf('devtools-page', devtools),
    byPath: new Map(named.map(([name, text]) => [`/__vitrine/${name}.js`, text])),
    serviceWorker: complete(textOf('service-worker'), {
      ...origins,
      FRAME_SCRIPT: frameAddress,
      WORKER_SCRIPT: workerAddress,
    }),
  };
}

/**
 * Gives a script the values of names that its sources declare and do not have: so one bundle is good
 * for every server. `a(NAME)` → `((NAME)=>{a(NAME)})("value");`
 */
export function complete(script: string, known: Readonly<Record<string, unknown>>): string {
  const values = Object.values(known).map((value) => JSON.stringify(value));
  return `((${Object.keys(known).join()})=>{${script}})(${values.join()});\n`;
}

function addressOf(name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `/__vitrine/${name}.js?${hash}`;
}

/** A bundle of its own for each, by name. */
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
      target,
      legalComments: 'none' as const,
      inject,
      define: { 'process.env.NODE_ENV': '"development"' },
      // Preact's refresh runtime is to work in the project's own.
      alias: { preact: preactOfProject },
    };
    const { files } = await bundle(options, folder);
    return [name, files.get(`${name}.js`) ?? ''] as const;
  });
  return new Map(await Promise.all(bundled));
}

function fromHere(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
