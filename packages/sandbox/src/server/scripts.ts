import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

/** The scripts that previews load, built from their sources when the server starts. */
export interface PreviewScripts {
  frame: string;
  /** Where documents load the frame's script from; the hash in it makes it good for ever. */
  frameAddress: string;
  serviceWorker: string;
  /** Scripts that the frame's loads when they are first wanted, by pathname. */
  later: ReadonlyMap<string, string>;
}

export async function buildScripts(appOrigins: readonly string[]): Promise<PreviewScripts> {
  const origins = { APP_ORIGINS: JSON.stringify(appOrigins) };
  const answers = await bundle('../frame/console-answers.ts', {}, 'esm');
  const frame = await bundle('../frame/main.ts', {
    ...origins,
    CONSOLE_SCRIPT: JSON.stringify(`${answersPath}?${hash(answers)}`),
  });
  const frameAddress = `/__vitrine/frame.js?${hash(frame)}`;
  const serviceWorker = await bundle('../service-worker/main.ts', {
    ...origins,
    FRAME_SCRIPT: JSON.stringify(frameAddress),
  });
  return { frame, frameAddress, serviceWorker, later: new Map([[answersPath, answers]]) };
}

const answersPath = '/__vitrine/console-answers.js';

async function bundle(
  entry: string,
  define: Record<string, string>,
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
    define,
  });
  const [output] = result.outputFiles;
  if (!output) throw new Error(`esbuild made nothing of ${entry}`);
  return output.text;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
