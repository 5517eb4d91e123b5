/**
 * Bundles that outlive the process: esbuild makes one anew only when something that it was made of is
 * another than then.
 */
import { build, stop, version, type BuildOptions } from 'esbuild';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Options that, together with the files they lead to, decide everything about the bundle. */
export type KeptBuildOptions = Omit<BuildOptions, 'write' | 'metafile' | 'outdir' | 'bundle'> & {
  entryPoints: Record<string, string>;
};

export interface Bundle {
  /** Name of each file that was made → text. */
  files: ReadonlyMap<string, string>;
  /** The names of those that entry points became, in any order. */
  entries: readonly string[];
}

/** A bundle as it lies in the folder. */
interface Kept {
  /** Path of each file that went into it → hash of its bytes. */
  inputs: Record<string, string>;
  files: [name: string, text: string][];
  entries: string[];
}

/** Which version of a package a specifier leads to. */
const lock = fileURLToPath(new URL('../../../../package-lock.json', import.meta.url));
const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Nothing is kept without a folder. One that cannot be written costs only the time to build again. */
export async function bundle(o: KeptBuildOptions, folder: string | undefined): Promise<Bundle> {
  const options = { absWorkingDir: packageFolder, ...o };
  const file = folder && join(folder, nameOf(options));
  const kept = file && (await recall(file));
  if (kept) return { files: new Map(kept.files), entries: kept.entries };
  const made = await make(options);
  if (file) await keep(file, made).catch(() => undefined);
  return { files: new Map(made.files), entries: made.entries };
}

/** One file for each set of options, so that a bundle that is out of date is written over. */
function nameOf(options: KeptBuildOptions): string {
  const [first = ''] = Object.keys(options.entryPoints);
  return `${first.replaceAll('/', '-')}-${hash(JSON.stringify([version, options])).slice(0, 16)}.json`;
}

async function recall(file: string): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as Kept;
    const now = await hashAll(Object.keys(kept.inputs));
    return Object.entries(kept.inputs).every(([path, then]) => now[path] === then)
      ? kept
      : undefined;
  } catch {
    // It was never made, or is no file that was written whole, or one of its inputs has gone.
    return undefined;
  }
}

/** Builds that are under way. */
let underWay = 0;

/**
 * esbuild's own process keeps what the largest build took, more than a gigabyte: it ends with the last
 * of them, and the next build starts it anew.
 */
async function leaveBehind<T>(work: () => Promise<T>): Promise<T> {
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) await stop();
  }
}

async function make(options: KeptBuildOptions & { absWorkingDir: string }): Promise<Kept> {
  const { outputFiles, metafile } = await leaveBehind(() =>
    build({ ...options, bundle: true, write: false, metafile: true, outdir: '/' }),
  );
  const made = Object.entries(metafile.outputs);
  return {
    inputs: await hashAll([lock, ...filesAmong(Object.keys(metafile.inputs), options)]),
    files: outputFiles.map(({ path, text }) => [path.slice(1), text]),
    entries: made.flatMap(([path, { entryPoint }]) => (entryPoint ? [basename(path)] : [])),
  };
}

/** Without what a plugin made up: `entry:react`. */
function filesAmong(inputs: readonly string[], { absWorkingDir }: { absWorkingDir: string }) {
  return inputs
    .filter((path) => !/^[^/.]+:/.test(path))
    .map((path) => resolve(absWorkingDir, path));
}

async function hashAll(paths: readonly string[]): Promise<Record<string, string>> {
  const hashes = paths.map(async (path) => [path, hash(await readFile(path))] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

/** Another process may read or write the same file meanwhile. */
async function keep(file: string, made: Kept): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const whole = `${file}.${randomUUID()}`;
  await writeFile(whole, JSON.stringify(made));
  await rename(whole, file);
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
