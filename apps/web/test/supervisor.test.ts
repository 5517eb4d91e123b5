import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, navigation } from './vitrine.ts';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 60_000 });

const scripts = new URL('../../../scripts/', import.meta.url).href;
const server = new URL('../server/run.ts', import.meta.url).href;
/** `scripts/start.js` without its build, which would delay the first start. */
const startScript = `
  import { supervise } from '${scripts}supervise.js';
  import { fail } from '${scripts}install.js';
  await supervise(new URL('${server}')).catch(fail);`;

const started: { child: ChildProcess; dataDir: string }[] = [];
afterEach(async () => {
  for (const { child, dataDir } of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
});

/** Runs `npm start` on a free port with its own data. */
async function start() {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-supervised-'));
  // PostgreSQL runs as another user if this one is root.
  chmodSync(dataDir, 0o711);
  const child = spawn(process.execPath, ['--input-type=module', '-e', startScript], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0' },
  });
  started.push({ child, dataDir });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => output.push(line));
  const findAddress = () => {
    const lines = output.flatMap((line) => /^Vitrine is ready at (\S+)$/.exec(line)?.[1] ?? []);
    return lines[0];
  };
  await until(() => findAddress() !== undefined || child.exitCode !== null);
  const address = findAddress();
  if (address === undefined || child.pid === undefined) throw new Error(output.join('\n'));
  const { host, port } = new URL(address);
  const supervisor = child.pid;
  return {
    child,
    output,
    supervisor,
    findServer: () => findChild(supervisor, 'server/run.ts'),
    findDatabase: () => {
      const server = findChild(supervisor, 'server/run.ts');
      return server === undefined ? undefined : findChild(server, 'postgres -D');
    },
    /** Whether the server responds, and knows from its database that there is no such user. */
    isServing: () =>
      ask(Number(port), '/@nobody', { host, headers: navigation }).then(
        ({ status }) => status === 404,
        () => false,
      ),
    readLog: () => readFileSync(join(dataDir, 'logs/vitrine.log'), 'utf8'),
  };
}

/** The process that `parent` has started, by its command line. */
function findChild(parent: number, command: string): number | undefined {
  const lines = execFileSync('ps', ['-axwwo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const found = new RegExp(`^\\s*(\\d+)\\s+${parent}\\s.*${command}`, 'm').exec(lines);
  return found ? Number(found[1]) : undefined;
}

/** Whether a process runs. One that has ended may still be listed as a zombie. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout.trim());
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { timeout: 100_000, interval: 50 });
}

/** Waits for a process other than `last`. */
async function waitForNext(
  find: () => number | undefined,
  last: number | undefined,
): Promise<number> {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== last) return found;
    await delay(20);
  }
}

describe('npm start', () => {
  it('starts a killed server and a killed database again, at the same address', async () => {
    const { findServer, findDatabase, isServing, readLog, child, output } = await start();
    await until(isServing);
    const server = await waitForNext(findServer, undefined);
    process.kill(server, 'SIGKILL');
    const next = await waitForNext(findServer, server);
    await until(isServing);
    expect(output.join('\n')).toContain('The server ended unexpectedly (SIGKILL). Restarting it');
    expect(readLog()).toMatch(/The server had ended unexpectedly.*"reason":"SIGKILL"/);

    const database = await waitForNext(findDatabase, undefined);
    process.kill(database, 'SIGKILL');
    await waitForNext(findDatabase, database);
    await until(isServing);
    expect(readLog()).toMatch(/PostgreSQL ended unexpectedly.*"reason":"SIGKILL"/);
    expect(findServer()).toBe(next);

    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(isRunning(next)).toBe(false);
  });

  it('gives up with the reason after five crashes within a minute', async () => {
    const { findServer, child, output } = await start();
    const exited = once(child, 'exit');
    let last: number | undefined;
    for (let crash = 1; crash <= 5; crash += 1) {
      last = await waitForNext(findServer, last);
      process.kill(last, 'SIGSEGV');
    }
    expect((await exited)[0]).toBe(1);
    expect(output.at(-1)).toBe(
      'The server ended unexpectedly 5 times within a minute, last with SIGSEGV. It isn’t being restarted.',
    );
  });

  it('gives up with the reason if the database ends five times within a minute', async () => {
    const { findDatabase, findServer, child, output } = await start();
    const exited = once(child, 'exit');
    const server = findServer();
    let last: number | undefined;
    for (let crash = 1; crash <= 5; crash += 1) {
      last = await waitForNext(findDatabase, last);
      process.kill(last, 'SIGKILL');
    }
    expect((await exited)[0]).toBe(69);
    // The last one may not have started yet.
    expect(output.join('\n')).toMatch(
      /^PostgreSQL ended unexpectedly 5 times within a minute, last with (?:SIGKILL|start_failed)\.$/m,
    );
    expect(isRunning(server ?? 0)).toBe(false);
  });

  it('leaves no server behind when it is killed itself', async () => {
    const { findServer, findDatabase, child } = await start();
    const server = await waitForNext(findServer, undefined);
    const database = await waitForNext(findDatabase, undefined);
    child.kill('SIGKILL');
    await until(() => !isRunning(server) && !isRunning(database));
  });
});
