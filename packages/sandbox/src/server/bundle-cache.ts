/**
 * Persistent bundle cache: esbuild runs again only if an input of a bundle has changed since it was written.
 */
import { build, stop, version, type BuildOptions, type Plugin } from 'esbuild';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Build options; with the files they refer to, they determine the bundle completely. */
export type BundleOptions = Omit<BuildOptions, 'write' | 'metafile' | 'outdir' | 'bundle'> & {
  entryPoints: Record<string, string>;
};

export interface Bundle {
  /** Text of each output file, by name. */
  files: ReadonlyMap<string, string>;
  /** Names of the entry points' output files, in any order. */
  entries: readonly string[];
}

/** A bundle as stored on disk. */
interface StoredBundle {
  /** SHA-256 hash of each input file, by path. */
  inputs: Record<string, string>;
  files: [name: string, text: string][];
  entries: string[];
}

/** The lockfile determines the package versions. */
const lock = fileURLToPath(new URL('../../../../package-lock.json', import.meta.url));
const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Leaves out Node's module that Svelte 3's compiler requires where there is no global `URL`. */
export const withoutUrlModule: Plugin = {
  name: 'without url module',
  setup(plugin) {
    plugin.onResolve({ filter: /^url$/ }, ({ importer }) =>
      /[\\/]svelte3[\\/]/.test(importer) ? { path: 'url', external: true } : undefined,
    );
  },
};

/** Builds a bundle, or reads it from `folder`. Without a folder nothing is stored; write errors are ignored. */
export async function buildBundleCached(
  o: BundleOptions,
  folder: string | undefined,
): Promise<Bundle> {
  const plugins = [withoutUrlModule, ...(o.plugins ?? [])];
  const options = { absWorkingDir: packageFolder, ...o, plugins };
  const file = folder && join(folder, nameOf(options));
  const stored = file && (await readStored(file));
  if (stored) return { files: new Map(stored.files), entries: stored.entries };
  const built = await buildBundle(options);
  if (file) await store(file, built).catch(() => undefined);
  return { files: new Map(built.files), entries: built.entries };
}

/** File name for a set of options, so that an outdated bundle is overwritten. */
function nameOf(options: BundleOptions): string {
  const [first = ''] = Object.keys(options.entryPoints);
  return `${first.replaceAll('/', '-')}-${hash(JSON.stringify([version, options])).slice(0, 16)}.json`;
}

async function readStored(file: string): Promise<StoredBundle | undefined> {
  try {
    const stored = JSON.parse(await readFile(file, 'utf8')) as StoredBundle;
    const now = await hashAll(Object.keys(stored.inputs));
    return Object.entries(stored.inputs).every(([path, then]) => now[path] === then)
      ? stored
      : undefined;
  } catch {
    // The file is missing or incomplete, or one of the inputs is gone.
    return undefined;
  }
}

/** Number of builds in progress. */
let activeBuilds = 0;

/**
 * Stops esbuild's process after the last build, because it keeps the memory of the largest build, more than a gigabyte.
 * The next build starts it again.
 */
async function withEsbuild<T>(work: () => Promise<T>): Promise<T> {
  activeBuilds += 1;
  try {
    return await work();
  } finally {
    activeBuilds -= 1;
    if (activeBuilds === 0) await stop();
  }
}

async function buildBundle(
  options: BundleOptions & { absWorkingDir: string },
): Promise<StoredBundle> {
  const { outputFiles, metafile } = await withEsbuild(() =>
    build({ ...options, bundle: true, write: false, metafile: true, outdir: '/' }),
  );
  const built = Object.entries(metafile.outputs);
  return {
    inputs: await hashAll([lock, ...inputFiles(Object.keys(metafile.inputs), options)]),
    files: outputFiles.map(({ path, text }) => [path.slice(1), text]),
    entries: built.flatMap(([path, { entryPoint }]) => (entryPoint ? [basename(path)] : [])),
  };
}

/** Input files without virtual modules of plugins, such as `entry:react`. */
function inputFiles(inputs: readonly string[], { absWorkingDir }: { absWorkingDir: string }) {
  return inputs
    .filter((path) => !/^[^/.]+:/.test(path))
    .map((path) => resolve(absWorkingDir, path));
}

async function hashAll(paths: readonly string[]): Promise<Record<string, string>> {
  const hashes = paths.map(async (path) => [path, hash(await readFile(path))] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

/** Writes atomically, because another process may read or write the same file. */
async function store(file: string, built: StoredBundle): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(built));
  await rename(temporary, file);
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
