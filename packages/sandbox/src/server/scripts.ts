import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { toolNames } from '../tool-messages.ts';

/** The scripts that previews load, built from their sources when the server starts. */
export interface PreviewScripts {
  /** Where documents load the frame's script from; the hash in it makes it good for ever. */
  frameAddress: string;
  /** Likewise, for the page of the portable path. */
  portableAddress: string;
  /** The frame's scripts, and those that it loads when they are first wanted, by path. */
  byPath: ReadonlyMap<string, string>;
  serviceWorker: string;
}

/** Loaded by the frame's script when first wanted, from `/__vitrine/NAME.js?HASH`. */
const laterScripts = {
  'react-refresher': '../frame/react-refresher.ts',
  'preact-refresher': '../frame/preact-refresher.ts',
  ...Object.fromEntries(toolNames.map((name) => [name, `../frame/${name}.ts`])),
};

/** The same, as modules. */
const laterModules = { 'console-answers': '../frame/console-answers.ts' } as const;

export async function buildScripts(appOrigins: readonly string[]): Promise<PreviewScripts> {
  const origins = { APP_ORIGINS: JSON.stringify(appOrigins) };
  // Only the frame's script loads others.
  const nothing = { ...origins, SCRIPT_ADDRESSES: '{}' };
  const later = await Promise.all([
    ...Object.entries(laterScripts).map(
      async ([name, entry]) => [name, await bundle(entry, nothing)] as const,
    ),
    ...Object.entries(laterModules).map(
      async ([name, entry]) => [name, await bundle(entry, {}, 'esm')] as const,
    ),
  ]);
  const addresses = Object.fromEntries(later.map(([name, text]) => [name, addressOf(name, text)]));
  const known = { ...origins, SCRIPT_ADDRESSES: JSON.stringify(addresses) };
  const [frame, portable] = await Promise.all([
    bundle('../frame/main.ts', known),
    bundle('../frame/portable-main.ts', known),
  ]);
  const frameAddress = addressOf('frame', frame);
  const serviceWorker = await bundle('../service-worker/main.ts', {
    ...origins,
    FRAME_SCRIPT: JSON.stringify(frameAddress),
  });
  const named = [...later, ['frame', frame], ['portable-frame', portable]] as const;
  const byPath = new Map(named.map(([name, text]) => [`/__vitrine/${name}.js`, text]));
  const portableAddress = addressOf('portable-frame', portable);
  return { frameAddress, portableAddress, byPath, serviceWorker };
}

function addressOf(name: string, text: string): string {
  return `/__vitrine/${name}.js?${hash(text)}`;
}

async function bundle(
  entry: string,
  define: Record<string, string> = {},
  format: 'iife' | 'esm' = 'iife',
): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format,
    target: ['chrome120', 'firefox128', 'safari17'],
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"development"', ...define },
    // Preact's refresh runtime is to work in the project's own.
    alias: { preact: fileURLToPath(new URL('../frame/preact-of-project.ts', import.meta.url)) },
  });
  const [output] = result.outputFiles;
  if (!output) throw new Error(`esbuild made nothing of ${entry}`);
  return output.text;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
