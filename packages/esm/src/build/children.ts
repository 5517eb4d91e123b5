/**
 * The processes that build. Starting one costs more than building a small package, so each takes the
 * next request when it has answered one, as long as these come; whatever goes wrong in it, it goes.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface ChildKind {
  readonly heapMb: number;
  /** Behind everything else that the machine does. */
  readonly isPatient: boolean;
}

interface IdleChild {
  readonly child: ChildProcess;
  readonly kind: ChildKind;
  readonly timer: NodeJS.Timeout;
}

/** How long one waits for the next request. */
const idleMs = 10_000;
/** One that holds more than this after its work does not take another. */
const reusableMb = 400;

/** Started, and doing nothing. Whoever takes one takes it off this list. */
const idle: IdleChild[] = [];

/** One that is there, or a new one. The caller has it until `returnChild` or `killGroup`. */
export function takeChild(kind: ChildKind): ChildProcess {
  const index = idle.findIndex(({ kind: own }) => isSame(own, kind));
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  if (found === undefined) return startChild(kind);
  clearTimeout(found.timer);
  found.child.off('exit', forgetEnded);
  found.child.ref();
  return found.child;
}

/** Takes back what has done its work and waits for more. */
export function returnChild(child: ChildProcess, kind: ChildKind): void {
  if (hasEnded(child) || groupMemoryMb(child) > reusableMb) return killGroup(child);
  const timer = setTimeout(() => forget(child), idleMs).unref();
  idle.push({ child, kind, timer });
  // It ends by itself when this process does, since nobody can ask it any more.
  child.unref();
  child.once('exit', forgetEnded);
}

/** Has so many ready, for whoever is about to fetch what is built then. */
export function prepareChildren(kind: ChildKind, count: number): void {
  const ready = idle.filter(({ kind: own }) => isSame(own, kind)).length;
  for (let more = ready; more < count; more += 1) returnChild(startChild(kind), kind);
}

/** Ends those that do nothing. */
export function endIdleChildren(): void {
  for (const { child } of [...idle]) forget(child);
}

function forgetEnded(): void {
  for (const { child } of [...idle]) if (hasEnded(child)) forget(child);
}

function forget(child: ChildProcess): void {
  const index = idle.findIndex((item) => item.child === child);
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  clearTimeout(found?.timer);
  child.off('exit', forgetEnded);
  killGroup(child);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function isSame(a: ChildKind, b: ChildKind): boolean {
  return a.heapMb === b.heapMb && a.isPatient === b.isPatient;
}

/** A group of its own, an empty environment, no network where the system can take it away. */
function startChild({ heapMb, isPatient }: ChildKind): ChildProcess {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const command = [
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const [file = '', ...rest] = [...networkCut(), ...command];
  const child = spawn(file, rest, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // Whoever waits for an answer hears of it too.
  child.on('error', () => undefined);
  for (const stream of [child.stdin, child.stdout]) {
    // One that ends is noticed by its end; a pipe keeps nobody from ending.
    stream?.on('error', () => undefined);
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  if (isPatient && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  return child;
}

let cut: string[] | undefined;

/** How to start a program without a network: `unshare` where this system allows it, else nothing. */
export function networkCut(): readonly string[] {
  cut ??=
    [
      ['unshare', '-n', '--'],
      ['unshare', '-rn', '--'],
    ].find(
      ([file = '', ...rest]) =>
        spawnSync(file, [...rest, 'true'], { stdio: 'ignore' }).status === 0,
    ) ?? [];
  return cut;
}

/** esbuild runs as a child of the child: the whole group goes. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Resident memory of the child's process group; 0 where /proc does not tell. */
export function groupMemoryMb(child: ChildProcess): number {
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
      // The process ended between the two looks.
    }
  }
  return (pages * 4096) / 2 ** 20;
}
