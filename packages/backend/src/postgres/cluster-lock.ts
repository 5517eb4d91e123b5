import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { ClusterLocation } from './cluster-location.ts';
import { PostgresStartError, createAlreadyRunningError } from './start-error.ts';

/**
 * Acquires the cluster for this process. The lock is a socket that the owner listens on: unlike
 * with a PID file, the kernel releases it when the process ends, even by SIGKILL, and PIDs cannot
 * be confused.
 */
export async function acquireClusterLock(location: ClusterLocation): Promise<Server> {
  const path = join(location.socketDir, 'owner');
  if (existsSync(path)) {
    if (await isListening(path)) throw createAlreadyRunningError(location.dataDir);
    // Left by a killed owner. Of two concurrent starts, only one can create the socket.
    await rm(path, { force: true });
  }
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(mapListenError(error, location)));
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  server.unref();
  return server;
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Connection refused or no such file: there is no owner.
    socket.once('error', () => resolve(false));
  });
}

function mapListenError(error: NodeJS.ErrnoException, location: ClusterLocation): Error {
  return error.code === 'EADDRINUSE'
    ? createAlreadyRunningError(location.dataDir)
    : new PostgresStartError(
        'start_failed',
        `Couldn’t create a socket in ${location.socketDir}: ${error.message}`,
        { cause: error },
      );
}

/**
 * Stops servers that a killed Vitrine left behind. Only the owner of the cluster may call it, so
 * any server that still runs is orphaned. It is stopped rather than reused, as its settings and
 * output belong to the old process; committed data is safe. Also deletes the lock files: PostgreSQL
 * would not start while a process with the PID in one exists, even if it is another program by now
 * or a zombie.
 */
export async function stopOrphanedServers(location: ClusterLocation, log: Log): Promise<void> {
  for (const pid of findServers(location.clusterDir)) {
    log.info('Stopping a PostgreSQL server left over from a Vitrine process that was killed.', {
      pid,
    });
    await stopProcess(pid, location.clusterDir);
  }
  for (const file of [
    join(location.clusterDir, 'postmaster.pid'),
    join(location.socketDir, '.s.PGSQL.5432.lock'),
  ])
    await rm(file, { force: true });
}

/** Finds servers by their command line: one that just started has not written its PID file yet. */
function findServers(clusterDir: string): number[] {
  const commandPattern = `postgres -D ${clusterDir} -k `;
  return listCommands()
    .filter(({ command }) => command.includes(commandPattern))
    .map(({ pid }) => pid);
}

/** Lists all processes with their arguments, separated by spaces. Zombies have none. */
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
    // The process has ended meanwhile, or belongs to another user.
    return '';
  }
}

/**
 * SIGINT is PostgreSQL's fast shutdown, SIGQUIT the immediate one (with recovery at the next
 * start).
 */
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

/** Sends a signal. Returns false when the process does not exist. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
