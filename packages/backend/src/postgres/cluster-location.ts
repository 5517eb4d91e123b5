import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { Binaries } from './binaries.ts';
import { PostgresStartError } from './start-error.ts';
import { canExecute, type SystemUser } from './system-user.ts';

/** Directories of a cluster, all accessible to the user that PostgreSQL runs as. */
export interface ClusterLocation {
  /** As configured; named in messages. */
  dataDir: string;
  clusterDir: string;
  socketDir: string;
  binDir: string;
  user: SystemUser;
}

/** File in the data directory that names the directory of a cluster outside of it. */
const pointerFileName = 'postgres-is-elsewhere';

/**
 * Chooses and creates the directories. The cluster is in `dataDir/postgres`, unless this process
 * runs as root and the user postgres cannot enter that: then it is in /var/lib/vitrine, and a file
 * in `dataDir` names the directory.
 */
export async function prepareClusterLocation(
  dataDir: string,
  binaries: Binaries,
  user: SystemUser,
  log: Log,
): Promise<ClusterLocation> {
  await createDataDir(dataDir, user);
  const home = await chooseClusterHome(dataDir, user, log);
  const binDir = await prepareBinaries(dataDir, binaries, user);
  const socketDir = await createSocketDir(home, user);
  return { dataDir, clusterDir: join(home, 'postgres'), socketDir, binDir, user };
}

export function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

async function createDataDir(dataDir: string, user: SystemUser): Promise<void> {
  // The user postgres must be able to traverse root's directory, but not to list it.
  await mkdir(dataDir, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
}

async function chooseClusterHome(dataDir: string, user: SystemUser, log: Log): Promise<string> {
  const pointer = join(dataDir, pointerFileName);
  if (existsSync(pointer)) return (await readFile(pointer, 'utf8')).trim();
  if (canExecute(dataDir, user)) return dataDir;
  if (user === undefined || existsSync(join(dataDir, 'postgres/PG_VERSION'))) {
    throw createAccessError(dataDir);
  }
  const home = await createExternalHome(dataDir, user);
  await writeFile(pointer, `${home}\n`);
  log.info(`The user postgres can’t access ${dataDir}. The database is in ${home} instead.`);
  return home;
}

async function createExternalHome(dataDir: string, user: SystemUser): Promise<string> {
  const home = join('/var/lib/vitrine', hashPath(dataDir));
  await mkdir(home, { recursive: true, mode: 0o711 });
  if (!canExecute(home, user)) throw createAccessError(home);
  return home;
}

/**
 * Returns the directory of the installed binaries, or of a copy that the user postgres may execute.
 */
async function prepareBinaries(
  dataDir: string,
  binaries: Binaries,
  user: SystemUser,
): Promise<string> {
  const installedBinDir = join(binaries.folder, 'bin');
  if (canExecute(join(installedBinDir, 'postgres'), user)) return installedBinDir;
  if (user === undefined) throw createAccessError(installedBinDir);
  const folder = join(await createExternalHome(dataDir, user), `programs-${binaries.version}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await cp(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, folder);
  }
  const copiedBinDir = join(folder, 'bin');
  if (!canExecute(join(copiedBinDir, 'postgres'), user)) throw createAccessError(copiedBinDir);
  return copiedBinDir;
}

/**
 * Creates the directory of the socket. Only its owner (and root) can enter it: this protects the
 * database, as the server listens nowhere else and requires no password. Socket paths are limited
 * (104 bytes on macOS, 108 on Linux), hence the fallback to the temporary directory.
 */
async function createSocketDir(home: string, user: SystemUser): Promise<string> {
  const preferred = join(home, 'socket');
  const fits = Buffer.byteLength(join(preferred, '.s.PGSQL.5432.lock')) <= 100;
  const uid = user?.uid ?? process.getuid?.() ?? 0;
  const folder = fits ? preferred : join(tmpdir(), `vitrine-${uid}-${hashPath(home)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // In a world-writable directory, another user could have created this one, or a symlink.
  const found = await lstat(folder);
  const ours = found.uid === process.getuid?.() || found.uid === uid;
  if (!found.isDirectory() || !ours) throw createAccessError(folder);
  await chmod(folder, 0o700);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

function createAccessError(path: string): PostgresStartError {
  return new PostgresStartError(
    'not_enterable',
    `The user that PostgreSQL runs as can’t access ${path}. Change its permissions, or set DATA_DIR to another folder.`,
  );
}
