import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
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
 * settings and its output are those of another time. Its lock files go too: PostgreSQL would refuse
 * to start while a process of the number in one exists, be it another program by now, or one that
 * has ended and that nobody has waited for.
 */
export async function clearLeftovers(place: Place, log: Log): Promise<void> {
  for (const pid of findServers(place.clusterDir)) {
    log.info('A PostgreSQL left behind by a killed Vitrine is stopped first.', { pid });
    await stopProcess(pid, place.clusterDir);
  }
  for (const file of [
    join(place.clusterDir, 'postmaster.pid'),
    join(place.socketDir, '.s.PGSQL.5432.lock'),
  ])
    await rm(file, { force: true });
}

/** Found by what they run: one that has just been started has not written its number anywhere. */
function findServers(clusterDir: string): number[] {
  const marks = `postgres -D ${clusterDir} -k `;
  return listCommands()
    .filter(({ command }) => command.includes(marks))
    .map(({ pid }) => pid);
}

/** Every process, with its arguments divided by spaces; they are empty once it has ended. */
function listCommands(): { pid: number; command: string }[] {
  if (existsSync('/proc/self')) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => ({ pid: Number(pid), command: readCommand(pid) }));
  }
  const lines = execFileSync('ps', ['-axwwo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => {
    const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command };
  });
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended since it was listed, or it is hidden from us, and then not ours.
    return '';
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (recovery at the next start). */
async function stopProcess(pid: number, clusterDir: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!sendSignal(pid, signal)) return;
    const deadline = Date.now() + 10_000;
    while (Date.now() < deadline) {
      if (!findServers(clusterDir).includes(pid)) return;
      await delay(20);
    }
  }
}

/** False once there is no such process. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
