import { spawnSync } from 'node:child_process';
import { PostgresStartError } from './start-error.ts';

/** User that PostgreSQL runs as; undefined for the user of this process. */
export type SystemUser = { uid: number; gid: number } | undefined;

/**
 * Finds, or creates, the user `postgres` when this process runs as root, which PostgreSQL refuses
 * to run as.
 */
export function findSystemUser(): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  return readUser('postgres') ?? createUser('postgres');
}

/** Whether `user` may execute (or enter) `path`. Tested with a process, not computed. */
export function canExecute(path: string, user: SystemUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { ...user, cwd: '/' }).status === 0;
}

function readUser(name: string): SystemUser {
  const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' });
  const gid = spawnSync('id', ['-g', name], { encoding: 'utf8' });
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(name: string): { uid: number; gid: number } {
  // Debian, Fedora and most others have useradd; BusyBox (Alpine) has adduser.
  const useradd = ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name];
  if (spawnSync('useradd', useradd).status !== 0) spawnSync('adduser', ['-S', '-H', '-D', name]);
  const user = readUser(name);
  if (user === undefined) {
    throw new PostgresStartError(
      'no_system_user',
      `PostgreSQL can’t run as root, and the user ${name} couldn’t be created. Create it, or run Vitrine as a regular user.`,
    );
  }
  return user;
}
