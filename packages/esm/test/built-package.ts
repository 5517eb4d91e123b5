import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { init } from 'es-module-lexer';
import { transform } from 'esbuild';
import { buildPackage, type BuildLimits } from '../src/build/build-package.ts';
import type { BuildManifest, BuildRequest } from '../src/build/manifest.ts';

export interface Built {
  readonly manifest: BuildManifest;
  readonly folder: string;
  /** Reads the text of an output file. */
  read(file: string): Promise<string>;
}

/** Files of a package by path; package.json may be an object. */
export type Files = Readonly<Record<string, string | Uint8Array | object>>;

/**
 * Builds a package of these files in temporary folders, which `use` may read. Throws when an output
 * script can't be parsed.
 */
export async function withBuilt<T>(
  files: Files,
  use: (built: Built) => Promise<T>,
  request: Partial<BuildRequest> = {},
  limits?: BuildLimits,
): Promise<T> {
  await init;
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-build-'));
  try {
    const source = join(temporaryFolder, 'source');
    const folder = join(temporaryFolder, 'built');
    await mkdir(folder);
    await writeFiles(source, files);
    const whole = { name: 'pkg', version: '1.0.0', mode: 'development' as const, ...request };
    await buildPackage(source, folder, whole, limits && { limits });
    await parseScripts(folder);
    const read = (file: string) => readFile(join(folder, file), 'utf8');
    const manifest = JSON.parse(await read('manifest.json')) as BuildManifest;
    return await use({ manifest, folder, read });
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/**
 * Loads an output module without imports of other packages. Only code written for these tests is
 * run.
 */
export async function load(built: Built, subpath = '.'): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-load-'));
  try {
    for (const file of Object.keys(built.manifest.modules)) {
      const text = (await built.read(file))
        .replace(/\n\/\/# sourceMappingURL=.*/, '')
        .replaceAll(/"vitrine-base:\/-chunk\/([^"]*)\.js"/g, '"./$1.mjs"');
      await writeFile(join(folder, file.replace(/\.js$/, '.mjs')), text);
    }
    const file = built.manifest.entries[subpath]?.file.replace(/\.js$/, '.mjs') ?? '';
    return { ...((await import(pathToFileURL(join(folder, file)).href)) as object) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function parseScripts(folder: string): Promise<void> {
  const scripts = (await readdir(folder)).filter((file) => file.endsWith('.js'));
  const parse = async (sourcefile: string) => {
    const text = await readFile(join(folder, sourcefile), 'utf8');
    await transform(text, { sourcefile, format: 'esm', logLevel: 'silent' });
  };
  await Promise.all(scripts.map(parse));
}

/** Writes the files of a package into a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries({ 'package.json': { name: 'pkg' }, ...files })) {
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), isText ? content : JSON.stringify(content));
  }
}
