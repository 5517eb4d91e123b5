/*
 * Pool of build processes. Starting a process costs more than building a small package, so a process
 * is reused for further requests. It is killed when anything goes wrong in it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Options that a process is started with. Requests with the same options share processes. */
export interface BuildProcessOptions {
  readonly heapMb: number;
  /** Runs at low priority. */
  readonly isBackground: boolean;
}

interface IdleProcess {
  readonly child: ChildProcess;
  readonly options: BuildProcessOptions;
  readonly timer: NodeJS.Timeout;
}

/** Time after which an idle process is killed. */
const idleTimeoutMs = 10_000;
/** A process whose group uses more memory is killed after its request, not reused. */
const maxReusableMemoryMb = 400;

/** Idle processes. Acquiring one removes it from this list. */
const idle: IdleProcess[] = [];

/**
 * Returns an idle process or starts one. The caller owns it until `releaseBuildProcess` or
 * `killProcessGroup`.
 */
export function acquireBuildProcess(options: BuildProcessOptions): ChildProcess {
  const index = idle.findIndex((item) => hasSameOptions(item.options, options));
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  if (found === undefined) return startProcess(options);
  clearTimeout(found.timer);
  found.child.off('exit', removeExited);
  found.child.ref();
  return found.child;
}

/** Returns a process that has finished its work to the pool. */
export function releaseBuildProcess(child: ChildProcess, options: BuildProcessOptions): void {
  if (hasExited(child) || measureGroupMemoryMb(child) > maxReusableMemoryMb)
    return killProcessGroup(child);
  const timer = setTimeout(() => removeAndKill(child), idleTimeoutMs).unref();
  idle.push({ child, options, timer });
  // The process exits when the server does, because its standard input closes.
  child.unref();
  child.once('exit', removeExited);
}

/** Starts processes until `count` are idle. */
export function prewarmBuildProcesses(options: BuildProcessOptions, count: number): void {
  const idleCount = idle.filter((item) => hasSameOptions(item.options, options)).length;
  for (let i = idleCount; i < count; i += 1) releaseBuildProcess(startProcess(options), options);
}

/** Kills the idle processes. */
export function killIdleBuildProcesses(): void {
  for (const { child } of idle.slice()) removeAndKill(child);
}

function removeExited(): void {
  for (const { child } of idle.filter((item) => hasExited(item.child))) removeAndKill(child);
}

function removeAndKill(child: ChildProcess): void {
  const index = idle.findIndex((item) => item.child === child);
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  clearTimeout(found?.timer);
  child.off('exit', removeExited);
  killProcessGroup(child);
}

function hasExited({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function hasSameOptions(a: BuildProcessOptions, b: BuildProcessOptions): boolean {
  return a.heapMb === b.heapMb && a.isBackground === b.isBackground;
}

/**
 * Starts a process in its own group, with an empty environment, and without network access where
 * the system supports that.
 */
function startProcess({ heapMb, isBackground }: BuildProcessOptions): ChildProcess {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const command = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const [file = '', ...rest] = [...getNoNetworkCommand(), ...command];
  const child = spawn(file, rest, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The caller receives this error from its own listener.
  child.on('error', () => undefined);
  for (const stream of [child.stdin, child.stdout]) {
    // An exit is detected by the `exit` event. Pipes must not keep this process alive.
    stream?.on('error', () => undefined);
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  if (isBackground && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  return child;
}

let noNetworkCommand: string[] | undefined;

/**
 * Command that starts a program without network access: `unshare` where the system allows it, else
 * empty.
 */
export function getNoNetworkCommand(): readonly string[] {
  noNetworkCommand ??=
    [
      ['unshare', '-n', '--'],
      ['unshare', '-rn', '--'],
    ].find(
      ([file = '', ...rest]) =>
        spawnSync(file, [...rest, 'true'], { stdio: 'ignore' }).status === 0,
    ) ?? [];
  return noNetworkCommand;
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

/** Page size of the resident memory in /proc, on x86-64 and most ARM systems. */
const pageBytes = 4096;

/** Resident memory of the child's process group in megabytes; 0 on systems without /proc. */
export function measureGroupMemoryMb(child: ChildProcess): number {
  if (process.platform !== 'linux' || child.pid === undefined) return 0;
  let pages = 0;
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    try {
      // Fields of proc_pid_stat(5) from the third on: `pgrp` is the fifth, `rss` the 24th.
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const [processGroup, residentPages] = [fields[2], fields[21]];
      if (processGroup === String(child.pid)) pages += Number(residentPages);
    } catch {
      // The process ended after the directory was listed.
    }
  }
  return (pages * pageBytes) / 2 ** 20;
}
