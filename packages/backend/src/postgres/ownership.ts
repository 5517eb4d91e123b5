import { existsSync } from 'node:fs';
import { chmod, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Place } from './place.ts';
import { PostgresStartError, alreadyRunning } from './start-error.ts';

/**
 * One process owns a cluster. Ownership is a socket that the owner listens on: unlike a file with a
 * process id, the kernel ends it with the process, also after SIGKILL, and no id is ever reused.
 */
export async function takeOwnership(place: Place): Promise<Server> {
  const path = join(place.socketDir, 'owner');
  if (existsSync(path)) {
    if (await answers(path)) throw alreadyRunning(place.dataDir);
    // Left by a killed owner. Where there is none, only one of two starts can make it.
    await rm(path, { force: true });
  }
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, place)));
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  server.unref();
  return server;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Refused or not there: nobody listens.
    socket.once('error', () => resolve(false));
  });
}

function explain(error: NodeJS.ErrnoException, place: Place): Error {
  return error.code === 'EADDRINUSE'
    ? alreadyRunning(place.dataDir)
    : new PostgresStartError(
        'start_failed',
        `No socket can be made in ${place.socketDir}: ${error.message}`,
        { cause: error },
      );
}

/**
 * Called by the owner only, so whatever still runs on this cluster belongs to nobody: its Vitrine
 * was killed. It is shut down (its committed data is safe either way) and not taken over, since its
 * settings and its output are those of another time. A postmaster.pid whose process is gone, or is
 * another program by now, is removed.
 */
export async function clearLeftovers(place: Place, log: Log): Promise<void> {
  const file = join(place.clusterDir, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
  if (Number.isInteger(pid) && pid > 0 && isPostgresOf(pid, place.clusterDir)) {
    log.info('A PostgreSQL left behind by a killed Vitrine is stopped first.', { pid });
    await stopProcess(pid);
  }
  await rm(file, { force: true });
}

function isPostgresOf(pid: number, clusterDir: string): boolean {
  const command = readCommand(pid);
  return /postgres/.test(command) && command.includes(clusterDir);
}

function readCommand(pid: number): string {
  try {
    if (existsSync('/proc/self')) {
      return execFileSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8', stdio: 'pipe' });
    }
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    // Both fail exactly when there is no such process.
    return '';
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (recovery at the next start). */
async function stopProcess(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!sendSignal(pid, signal)) return;
    const deadline = Date.now() + 10_000;
    while (Date.now() < deadline) {
      if (!sendSignal(pid, 0)) return;
      await delay(20);
    }
  }
}

/** False once there is no such process. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
