import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { DatabaseAddress } from './address.ts';
import { connectDatabase } from './connection-pool.ts';
import { findBinaries } from './binaries.ts';
import { stopOrphanedServers, acquireClusterLock } from './cluster-lock.ts';
import { prepareClusterLocation } from './cluster-location.ts';
import type { ClusterLocation } from './cluster-location.ts';
import { PostgresStartError, createStartError } from './start-error.ts';
import { findSystemUser } from './system-user.ts';

const major = '18';

/** The cluster's superuser, as on a hosted project. Only used to create the role `postgres`. */
const superuser = 'supabase_admin';

/** Settings for one small machine: app and database together stay below 300 MB when idle. */
const settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  autovacuum_max_workers: '2',
  // Asynchronous reads cost three more processes and gain nothing at this size.
  io_method: 'sync',
  jit: 'off',
  fsync: 'on',
  // Off would lose acknowledged saves when the process is killed.
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  // Statement errors are only sent to the client: their text may contain user data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/**
 * PostgREST settings that are supported, read from the database as PostgREST does: `alter role
 * authenticator set pgrst.db_aggregates_enabled = 'true'`.
 */
const restSettingNames = [
  'pgrst.db_schemas',
  'pgrst.db_extra_search_path',
  'pgrst.db_max_rows',
  'pgrst.db_aggregates_enabled',
  'pgrst.db_plan_enabled',
  'pgrst.db_tx_end',
  'pgrst.db_pre_request',
] as const;

/** A running PostgreSQL server that shuts down with this process. */
export interface PostgresServer {
  /**
   * Connection as the owner: the role `postgres`, which is not a superuser (as on a hosted
   * project).
   */
  readonly database: DatabaseAddress;
  readonly pid: number;
  /** Shuts down and waits for the process to exit. Can be called twice. */
  close(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL 18 on the data in `dataDir`, creating the cluster on the first
 * start. Listens on a socket that only this user (and root) can open. Throws a PostgresStartError
 * whose message explains the cause.
 */
export async function startPostgres(options: {
  dataDir: string;
  log: Log;
  /**
   * Called with the reason after five unexpected exits within a minute. PostgreSQL isn't restarted any
   * more then.
   */
  onFailure?(reason: string): void;
}): Promise<PostgresServer> {
  const { log } = options;
  const user = findSystemUser();
  const location = await prepareClusterLocation(
    resolve(options.dataDir),
    await findBinaries(),
    user,
    log,
  );
  const owner = await acquireClusterLock(location);
  try {
    await stopOrphanedServers(location, log);
    await prepareCluster(location, log);
    const server = await superviseServer(location, log, options.onFailure);
    try {
      await createOwnerRole(location);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      database: createAddress(location, 'postgres'),
      get pid() {
        return server.pid();
      },
      async close() {
        await server.stop();
        await closeServer(owner);
      },
    };
  } catch (error) {
    await closeServer(owner);
    throw error;
  }
}

/**
 * Starts PostgreSQL like `startPostgres`, or connects to the one of a Vitrine that runs with the
 * same data.
 */
export async function openPostgres(options: {
  dataDir: string;
  log: Log;
}): Promise<Pick<PostgresServer, 'database' | 'close'>> {
  try {
    return await startPostgres(options);
  } catch (error) {
    if (!(error instanceof PostgresStartError) || error.reason !== 'already_running') throw error;
    const user = findSystemUser();
    const dataDir = resolve(options.dataDir);
    const location = await prepareClusterLocation(dataDir, await findBinaries(), user, options.log);
    return { database: createAddress(location, 'postgres'), close: async () => {} };
  }
}

function createAddress(location: ClusterLocation, user: string): DatabaseAddress {
  return { host: location.socketDir, port: 5432, database: 'postgres', user, password: '' };
}

/**
 * Creates the cluster when there is none. Throws when the directory has other contents or another
 * version.
 */
async function prepareCluster(location: ClusterLocation, log: Log): Promise<void> {
  const { clusterDir } = location;
  const versionFile = join(clusterDir, 'PG_VERSION');
  if (existsSync(versionFile)) {
    const version = (await readFile(versionFile, 'utf8')).trim();
    if (version !== major) throw createVersionError(clusterDir, version);
    return;
  }
  if (existsSync(clusterDir) && (await readdir(clusterDir)).length > 0) {
    throw new PostgresStartError(
      'not_a_cluster',
      `${clusterDir} isn’t empty and has no PostgreSQL data. Move it, or set DATA_DIR to another folder.`,
    );
  }
  log.info('Creating the database.', { folder: clusterDir });
  await createCluster(location);
}

/**
 * Creates the cluster under a temporary name, so that a killed start leaves no incomplete cluster.
 */
async function createCluster(location: ClusterLocation): Promise<void> {
  const unfinished = `${location.clusterDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  if (location.user !== undefined) await chown(unfinished, location.user.uid, location.user.gid);
  const { code, output } = await run(location, 'initdb', [
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw createStartError(output, location.clusterDir);
  }
  await rm(location.clusterDir, { recursive: true, force: true });
  await rename(unfinished, location.clusterDir);
}

function createVersionError(clusterDir: string, version: string): PostgresStartError {
  return new PostgresStartError(
    'other_version',
    `The data in ${clusterDir} was created by PostgreSQL ${version}, but this version of Vitrine uses PostgreSQL ${major}. To upgrade, run “npm run backup -- FOLDER” with the previous version, move the folder that contains ${clusterDir} elsewhere, and run “npm run restore -- FOLDER” here.`,
  );
}

function run(
  location: ClusterLocation,
  program: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawnProgram(location, program, args);
  const output = collectOutput(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: output() }));
  });
}

/**
 * Starts a program in its own session: Ctrl+C in the terminal only reaches this process, which then
 * shuts down in order.
 */
function spawnProgram(location: ClusterLocation, program: string, args: string[]): ChildProcess {
  return spawn(join(location.binDir, program), args, {
    ...location.user,
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Keeps the last 8,000 characters of the output. */
function collectOutput(child: ChildProcess, onLine?: (line: string) => void): () => string {
  let text = '';
  let rest = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-8000);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine?.(line);
    });
  }
  return () => text;
}

/** Number of unexpected exits within `windowMs` after which the server isn't restarted. */
const maxExits = 5;
const windowMs = 60_000;

/**
 * Runs the server and restarts it when it exits unexpectedly (killed, out of memory). It then
 * replays its write-ahead log, so acknowledged writes are kept. Waits longer after each exit.
 */
async function superviseServer(
  location: ClusterLocation,
  log: Log,
  onFailure: (reason: string) => void = () => {},
): Promise<{ pid(): number; stop(): Promise<void> }> {
  let server = await runServer(location, log);
  let stopping = false;
  const watch = async (): Promise<void> => {
    /** Times of unexpected exits, in milliseconds since the epoch. */
    let exits: number[] = [];
    let reason = await server.exited;
    for (;;) {
      if (stopping) return;
      exits = [...exits.filter((time) => time > Date.now() - windowMs), Date.now()];
      if (exits.length >= maxExits) {
        const times = `${maxExits} times within a minute`;
        return onFailure(`PostgreSQL ended unexpectedly ${times}, last with ${reason}.`);
      }
      log.error('PostgreSQL ended unexpectedly and is being restarted.', {
        pid: server.pid,
        reason,
      });
      await delay(100 * exits.length ** 2);
      if (stopping) return;
      reason = (await restart()) ?? (await server.exited);
    }
  };
  /** Returns the reason if the server doesn't start. */
  const restart = async (): Promise<string | undefined> => {
    try {
      await stopOrphanedServers(location, log);
      server = await runServer(location, log);
      // Stopped during the restart.
      if (stopping) await server.stop();
      return undefined;
    } catch (error) {
      if (!(error instanceof PostgresStartError)) throw error;
      log.error(error.message);
      return error.reason;
    }
  };
  const watching = watch();
  return {
    pid: () => server.pid,
    async stop() {
      stopping = true;
      await server.stop();
      await watching;
    },
  };
}

interface RunningServer {
  pid: number;
  /** Resolves when the process has exited, to its signal or exit code. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

async function runServer(location: ClusterLocation, log: Log): Promise<RunningServer> {
  const child = spawnProgram(location, 'postgres', [
    '-D',
    location.clusterDir,
    '-k',
    location.socketDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  let stopping = false;
  const { pid } = child;
  // Before the server is ready, so that killing this process during the start leaves no server
  // behind.
  const guard = pid === undefined ? undefined : startGuard(location, pid);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      guard?.kill('SIGKILL');
      resolve(signal ?? `exit code ${code}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    const output = collectOutput(child, (line) => {
      if (line.includes('database system is ready to accept connections')) resolve();
      if (/ (FATAL|PANIC): /.test(line) && !stopping) log.warn(`PostgreSQL: ${line}`);
    });
    child.once('error', reject);
    child.once('close', () => reject(createStartError(output(), location.dataDir)));
  });
  if (pid === undefined) throw new Error('PostgreSQL runs without a process id.');
  return {
    pid,
    exited,
    async stop() {
      stopping = true;
      child.kill('SIGINT');
      // Immediate shutdown: the next start replays the log, so nothing committed is lost.
      const killTimer = setTimeout(() => child.kill('SIGQUIT'), 20_000);
      await exited;
      clearTimeout(killTimer);
    },
  };
}

/**
 * Shuts PostgreSQL down when this process is killed: a shell waits for the end of a pipe from this
 * process. Otherwise the database would keep running until the next start.
 */
function startGuard(location: ClusterLocation, pid: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$0"', String(pid)], {
    ...location.user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
}

async function createOwnerRole(location: ClusterLocation): Promise<void> {
  const sql = connectDatabase(createAddress(location, superuser), { max: 1 });
  try {
    const [found] = await sql`select from pg_roles where rolname = 'postgres'`;
    if (found === undefined) {
      await sql.begin(async (tx) => {
        await tx`create role postgres login createdb createrole bypassrls replication`;
        await tx`alter database postgres owner to postgres`;
        await tx`grant pg_monitor, pg_signal_backend to postgres`;
      });
    }
    // Migrations set these with `alter role authenticator`; only a superuser may set unknown
    // parameters.
    await sql`grant set on parameter ${sql(restSettingNames)} to postgres`;
    // As on a hosted project, so that restoring a backup can disable triggers.
    await sql`grant set on parameter session_replication_role to postgres`;
  } finally {
    await sql.end();
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
