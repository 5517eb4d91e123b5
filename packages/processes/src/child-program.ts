/**
 * Child process that works on untrusted data: it has limits, an empty environment, no network where
 * the system allows that, and nothing of it outlives this process. Messages are copied by structured
 * clone.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** How a program is started. */
export interface ProgramOptions {
  /** Module that calls `answerRequests` or listens for messages itself. */
  readonly program: URL;
  /** Limit of the JavaScript heap, in megabytes. */
  readonly heapMb: number;
  /**
   * Limit of all memory that the process asks for, in megabytes: Node itself asks for 600. Only
   * enforced on Linux. Undefined for no limit.
   */
  readonly dataMb?: number;
  /** Runs at low priority. */
  readonly isBackground?: boolean;
}

/** How a process ended. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it ran out of memory, as far as it could tell. */
  readonly isOutOfMemory: boolean;
  /** Exit code or signal, and the line of its output that says why: `SIGABRT: Fatal error`. */
  readonly reason: string;
}

/** Size of the main thread's stack. Enough for the deepest code that people write. */
const stackBytes = 8 * 2 ** 20;
/** Number of characters of the error output that are kept. */
const maxOutputLength = 8_000;

/** A started program. */
export class ChildProgram {
  readonly #child: ChildProcess;
  #output = '';
  #exit: ProgramExit | undefined;
  readonly #exitListeners = new Set<(exit: ProgramExit) => void>();
  #onMessage: ((message: unknown) => void) | undefined;

  constructor(options: ProgramOptions) {
    this.#child = startProgram(options);
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output = (this.#output + chunk).slice(-maxOutputLength);
    });
    this.#child.on('message', (message) => this.#onMessage?.(message));
    // Descendants would go on without it, and keep its output open.
    this.#child.once('exit', () => this.#killGroup());
    // After the last output. Starting the program may fail instead.
    this.#child.once('error', (error) => this.#end(null, null, error.message));
    this.#child.once('close', (exitCode, signal) => this.#end(exitCode, signal));
    this.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether the process runs, as far as is known. */
  get isRunning(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Sets the only listener for messages; undefined removes it. */
  set onMessage(listener: ((message: unknown) => void) | undefined) {
    this.#onMessage = listener;
  }

  /** Calls the listener when the process has ended, also if it already has. */
  onExit(listener: (exit: ProgramExit) => void): void {
    this.#exitListeners.add(listener);
    if (this.#exit) listener(this.#exit);
  }

  offExit(listener: (exit: ProgramExit) => void): void {
    this.#exitListeners.delete(listener);
  }

  /** Sends a message. A process that has ended, or ends meanwhile, never gets it. */
  send(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Keeps this process alive while the program runs. */
  ref(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Lets this process end while the program runs, which then ends, too. */
  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    const { stderr } = this.#child;
    if (stderr && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
  }

  /** Kills the process with its descendants. */
  kill(): void {
    // Later, the group's number may be that of another.
    if (this.isRunning) this.#killGroup();
  }

  #killGroup(): void {
    try {
      if (this.pid !== undefined) process.kill(-this.pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /**
   * CPU time so far, in milliseconds: of the main thread on Linux, of all threads elsewhere.
   * Undefined if the process has ended.
   */
  measureCpuMs(): number | undefined {
    if (this.pid === undefined || !this.isRunning) return undefined;
    return process.platform === 'linux' ? readThreadCpuMs(this.pid) : readProcessCpuMs(this.pid);
  }

  /** Resident memory of the process and its descendants in megabytes; 0 on systems without /proc. */
  measureMemoryMb(): number {
    return this.pid === undefined ? 0 : readGroupMemoryMb(this.pid);
  }

  #end(exitCode: number | null, signal: NodeJS.Signals | null, error?: string): void {
    if (this.#exit) return;
    this.#exit = {
      exitCode,
      signal,
      isOutOfMemory: outOfMemoryPattern.test(this.#output),
      reason: `${signal ?? error ?? `exit code ${exitCode}`}${describeOutput(this.#output)}`,
    };
    for (const listener of this.#exitListeners) listener(this.#exit);
    this.#exitListeners.clear();
  }
}

/** Output of V8, Node and Rust when an allocation fails. */
const outOfMemoryPattern =
  /heap out of memory|Fatal process out of memory|memory allocation of \d+ bytes failed|bad_alloc|Failed to allocate/;

/** The line that names the cause, after a colon; empty without one. */
function describeOutput(output: string): string {
  const line = output
    .split('\n')
    .find((text) => /\b(?:error|fatal|panicked|overflow|failed)\b/i.test(text));
  return line === undefined ? '' : `: ${line.trim().slice(0, 300)}`;
}

function startProgram({ program, heapMb, dataMb, isBackground }: ProgramOptions): ChildProcess {
  const [file, ...rest] = [
    ...getSandboxCommand(),
    ...getLimitCommand(dataMb),
    process.execPath,
    `--max-old-space-size=${heapMb}`,
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(program),
  ];
  const child = spawn(file, rest, {
    cwd: '/',
    env: {},
    // A group of its own: Ctrl-C reaches only this process, and `kill` all descendants.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  child.stderr?.on('error', () => undefined);
  if (isBackground && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  return child;
}

/** The first of the commands that works here, by what they are for. */
const commands = new Map<string, readonly string[]>();

function findCommand(purpose: string, candidates: readonly string[][]): readonly string[] {
  const known = commands.get(purpose);
  if (known) return known;
  const works = ([file = '', ...rest]: string[]) =>
    spawnSync(file, [...rest, 'true'], { stdio: 'ignore' }).status === 0;
  const found = candidates.find(works) ?? [];
  commands.set(purpose, found);
  return found;
}

/** Command that starts a program without network access; empty where the system has none. */
export function getSandboxCommand(): readonly string[] {
  return findCommand('network', [
    ['unshare', '-n', '--'],
    ['unshare', '-rn', '--'],
  ]);
}

/** Commands that limit a program, and kill it when this process ends in whatever way. */
function getLimitCommand(dataMb: number | undefined): readonly string[] {
  const limits = findCommand('limits', [
    ['prlimit', '--core=0', `--stack=${stackBytes}`, '--'],
    ['prlimit', '--core=0', '--'],
  ]);
  const data = dataMb === undefined ? [] : [`--data=${dataMb * 2 ** 20}`];
  return [
    ...findCommand('end', [['setpriv', '--pdeathsig', 'KILL', '--']]),
    ...(limits.length > 0 ? [...limits.slice(0, -1), ...data, '--'] : []),
  ];
}

/** Fields of proc_pid_stat(5) from the third on; undefined if there is no such process. */
function readStat(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

/** Length of a clock tick in /proc, which is the same on all systems that Node runs on. */
const tickMs = 10;

/** `utime` and `stime` are the 14th and 15th fields. */
function readThreadCpuMs(pid: number): number | undefined {
  const fields = readStat(`/proc/${pid}/task/${pid}/stat`);
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Parses the time of ps(1): `1:02.34` → 62,340 */
function readProcessCpuMs(pid: number): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' });
  if (!stdout?.trim()) return undefined;
  return (
    stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000
  );
}

/** Page size of the resident memory in /proc, on x86-64 and most ARM systems. */
const pageBytes = 4096;

function readGroupMemoryMb(group: number): number {
  if (process.platform !== 'linux') return 0;
  let pages = 0;
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    // `pgrp` is the fifth field, `rss` the 24th. The process may have ended since it was listed.
    const fields = readStat(`/proc/${id}/stat`);
    if (fields?.[2] === String(group)) pages += Number(fields[21]);
  }
  return (pages * pageBytes) / 2 ** 20;
}
