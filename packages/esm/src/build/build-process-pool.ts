/*
 * Pool of build processes. Starting a process costs more than building a small package, so a process
 * takes further requests while they keep coming. It is killed when anything goes wrong in it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Options that a process is started with. Requests with the same options share processes. */
export interface ChildKind {
  readonly heapMb: number;
  /** Runs at low priority. */
  readonly isBackground: boolean;
}

interface IdleChild {
  readonly child: ChildProcess;
  readonly kind: ChildKind;
  readonly timer: NodeJS.Timeout;
}

/** Time that an idle process waits for the next request. */
const idleMs = 10_000;
/** Memory limit for taking another request. */
const reusableMb = 400;

/** Idle processes. Taking one removes it from this list. */
const idle: IdleChild[] = [];

/**
 * Returns an idle process or starts one. The caller owns it until `releaseChild` or
 * `killProcessGroup`.
 */
export function acquireChild(kind: ChildKind): ChildProcess {
  const index = idle.findIndex(({ kind: own }) => isSame(own, kind));
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  if (found === undefined) return startChild(kind);
  clearTimeout(found.timer);
  found.child.off('exit', removeEnded);
  found.child.ref();
  return found.child;
}

/** Returns a process that has finished its work to the pool. */
export function releaseChild(child: ChildProcess, kind: ChildKind): void {
  if (hasEnded(child) || measureGroupMemoryMb(child) > reusableMb) return killProcessGroup(child);
  const timer = setTimeout(() => removeAndKill(child), idleMs).unref();
  idle.push({ child, kind, timer });
  // The process ends when this process does, because its standard input closes.
  child.unref();
  child.once('exit', removeEnded);
}

/** Starts processes until `count` are idle. */
export function prewarmChildren(kind: ChildKind, count: number): void {
  const ready = idle.filter(({ kind: own }) => isSame(own, kind)).length;
  for (let more = ready; more < count; more += 1) releaseChild(startChild(kind), kind);
}

/** Kills the idle processes. */
export function killIdleChildren(): void {
  for (const { child } of [...idle]) removeAndKill(child);
}

function removeEnded(): void {
  for (const { child } of [...idle]) if (hasEnded(child)) removeAndKill(child);
}

function removeAndKill(child: ChildProcess): void {
  const index = idle.findIndex((item) => item.child === child);
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  clearTimeout(found?.timer);
  child.off('exit', removeEnded);
  killProcessGroup(child);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function isSame(a: ChildKind, b: ChildKind): boolean {
  return a.heapMb === b.heapMb && a.isBackground === b.isBackground;
}

/**
 * Starts a process in its own group, with an empty environment, and without network access where
 * the system supports that.
 */
function startChild({ heapMb, isBackground }: ChildKind): ChildProcess {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const command = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const [file = '', ...rest] = [...getNetworkSandbox(), ...command];
  const child = spawn(file, rest, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The caller receives this error from its own listener.
  child.on('error', () => undefined);
  for (const stream of [child.stdin, child.stdout]) {
    // The end of a process is noticed by its exit event. Pipes must not keep this process alive.
    stream?.on('error', () => undefined);
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  if (isBackground && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  return child;
}

let networkSandbox: string[] | undefined;

/**
 * Command that starts a program without network access: `unshare` where the system allows it, else
 * empty.
 */
export function getNetworkSandbox(): readonly string[] {
  networkSandbox ??=
    [
      ['unshare', '-n', '--'],
      ['unshare', '-rn', '--'],
    ].find(
      ([file = '', ...rest]) =>
        spawnSync(file, [...rest, 'true'], { stdio: 'ignore' }).status === 0,
    ) ?? [];
  return networkSandbox;
}

/** Kills the whole process group, because esbuild runs as a child of the child. */
export function killProcessGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Resident memory of the child's process group in megabytes; 0 on systems without /proc. */
export function measureGroupMemoryMb(child: ChildProcess): number {
  if (process.platform !== 'linux' || child.pid === undefined) return 0;
  let pages = 0;
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (stat[2] === String(child.pid)) pages += Number(stat[21]);
    } catch {
      // The process ended after the directory was listed.
    }
  }
  return (pages * 4096) / 2 ** 20;
}
