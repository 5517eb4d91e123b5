import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { toolNames, type ToolName } from '../tool-messages.ts';

/** The scripts that previews load, built from their sources when the server starts. */
export interface PreviewScripts {
  frame: string;
  /** Where documents load the frame's script from; the hash in it makes it good for ever. */
  frameAddress: string;
  serviceWorker: string;
  /** The scripts of the frame's tools, by name. */
  tools: Readonly<Record<ToolName, string>>;
}

export async function buildScripts(appOrigins: readonly string[]): Promise<PreviewScripts> {
  const origins = { APP_ORIGINS: JSON.stringify(appOrigins) };
  const named = await Promise.all(
    toolNames.map(async (name) => [name, await bundle(`../frame/${name}.ts`, origins)] as const),
  );
  const tools = Object.fromEntries(named) as PreviewScripts['tools'];
  const addresses = named.map(([name, text]) => [name, `/__vitrine/${name}.js?${hash(text)}`]);
  const frame = await bundle('../frame/main.ts', {
    ...origins,
    TOOLS: JSON.stringify(Object.fromEntries(addresses)),
  });
  const frameAddress = `/__vitrine/frame.js?${hash(frame)}`;
  const serviceWorker = await bundle('../service-worker/main.ts', {
    ...origins,
    FRAME_SCRIPT: JSON.stringify(frameAddress),
  });
  return { frame, frameAddress, serviceWorker, tools };
}

async function bundle(entry: string, define: Record<string, string>): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
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
