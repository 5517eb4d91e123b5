import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getSandboxCommand, ProcessPool } from '../src/index.ts';

const program = new URL('./programs/worker.ts', import.meta.url);
const pools: ProcessPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

function open(options: Partial<ConstructorParameters<typeof ProcessPool>[0]> = {}) {
  const pool = new ProcessPool({ program, heapMb: 64, ...options });
  pools.push(pool);
  const run = (action: string, limits = {}, value?: unknown) =>
    pool.run({ do: action, value }, { timeMs: 60_000, ...limits });
  return { pool, run };
}

/** Whether a process runs. One that has ended may still be listed as a zombie. */
function isRunning(pid: unknown): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid).trim()], {
    encoding: 'utf8',
  });
  return /^[^Z\s]/.test(stdout.trim());
}

const isLinux = process.platform === 'linux';

describe('PT-08 a process for untrusted data', () => {
  it('returns copies of what it is sent, and runs the next request', async () => {
    const { run } = open();
    const value = { bytes: new Uint8Array([1, 2]), map: new Map([['a', [1]]]) };
    expect(await run('return', {}, value)).toMatchObject({ map: value.map });
    expect(await run('get pid')).toBe(await run('get pid'));
  });

  it.each([
    ['recurse', {}, 'died'],
    ['fill the heap', {}, 'out_of_memory'],
    ['loop', { cpuMs: 100 }, 'cpu_time'],
    ['loop', { timeMs: 100 }, 'time'],
    ['sleep', { cpuMs: 10, timeMs: 400 }, 'time'],
    ['load forever', { loadMs: 100 }, 'load_time'],
  ])('ends alone: %s within %o', async (action, limits, code) => {
    const { run } = open();
    const pid = await run('get pid');
    await expect(run(action, limits)).rejects.toMatchObject({ code });
    await vi.waitUntil(() => !isRunning(pid));
    expect(await run('get pid')).not.toBe(pid);
  });

  it('runs a request again whose process ended before it started', async () => {
    const { run } = open();
    const pid = Number(await run('get pid'));
    process.kill(pid, 'SIGKILL');
    expect(await run('get pid')).not.toBe(pid);
    await expect(run('recurse')).rejects.toMatchObject({ code: 'died' });
  });

  it.runIf(isLinux)('has a limit of memory outside of the heap', async () => {
    const { run } = open({ dataMb: 1_500 });
    await expect(run('allocate')).rejects.toThrow();
    const other = open();
    await expect(other.run('allocate', { memoryMb: 300 })).rejects.toMatchObject({
      code: 'out_of_memory',
    });
  });

  it('tells how much CPU time a request has used', async () => {
    const { run } = open();
    const used: number[] = [];
    const onCpuTime = (ms: number) => used.push(ms);
    await run('return', { onCpuTime });
    await expect(run('loop', { cpuMs: 300, onCpuTime })).rejects.toThrow();
    expect(used).toHaveLength(2);
    expect(used[0]).toBeLessThan(200);
    expect(used[1]).toBeGreaterThan(300);
  });

  it('goes on after a request that throws', async () => {
    const { run } = open();
    const pid = await run('get pid');
    await expect(run('throw')).rejects.toMatchObject({ code: 'threw', thrownName: 'RangeError' });
    expect(await run('get pid')).toBe(pid);
  });

  it('is told apart from one that an administrator ends', async () => {
    const { run } = open();
    const kill = (pid: unknown) => process.kill(Number(pid), 'SIGKILL');
    await expect(run('sleep', { onNotice: kill })).rejects.toMatchObject({ code: 'killed' });
  });

  it('ends when its caller leaves, when nobody needs it, and with the pool', async () => {
    const { pool, run } = open({ idleMs: 50 });
    const controller = new AbortController();
    const leaving = run('sleep', { signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    const pid = await run('get pid');
    await vi.waitUntil(() => !isRunning(pid));
    const last = await run('get pid');
    const sleeping = expect(run('sleep')).rejects.toMatchObject({ code: 'killed' });
    pool.close();
    await sleeping;
    expect(isRunning(last)).toBe(false);
  });

  it('ends with its descendants', async () => {
    const { pool, run } = open();
    const descendant = await run('start a descendant');
    expect(isRunning(descendant)).toBe(true);
    pool.close();
    await vi.waitUntil(() => !isRunning(descendant));
  });

  it.runIf(isLinux)('ends with the process that started it, even in an endless loop', async () => {
    const code = `
      import { ProcessPool } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
      const pool = new ProcessPool({ program: new URL(${JSON.stringify(program.href)}), heapMb: 64 });
      await pool.run({ do: 'loop' }, { timeMs: 60_000, onNotice: (pid) => console.log(pid) });`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [pid] = await once(starter.stdout, 'data');
    starter.kill('SIGKILL');
    await vi.waitUntil(() => !isRunning(pid));
  });

  it('gets notices, also the ones from before it was started', async () => {
    const { pool, run } = open({ getFirstNotices: () => ['first'] });
    await run('get pid');
    pool.notifyIdle('second');
    expect(await run('get notices')).toEqual(['first', 'second']);
    const received: unknown[] = [];
    await run('notify', { onNotice: (notice: unknown) => received.push(notice) }, 'third');
    expect(received).toEqual(['third']);
  });

  it('has an empty environment', async () => {
    expect(await open().run('list environment')).toEqual([]);
  });

  it.runIf(getSandboxCommand().length > 0)('has no network', async () => {
    expect(await open().run('connect')).toBe('ENETUNREACH');
  });
});
