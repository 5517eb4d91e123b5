import { ChildProgram, type ProgramExit, type ProgramOptions } from './child-program.ts';
import { parseFromProgram, type FromProgram, type ToProgram } from './messages.ts';

interface PoolOptions extends ProgramOptions {
  /** Time after which an idle process ends. */
  readonly idleMs?: number;
  /** A process that uses more memory ends after its request; only on Linux. */
  readonly maxReusableMb?: number;
  /** Notices that every new process gets first. */
  readonly getFirstNotices?: () => readonly unknown[];
}

export interface RunOptions {
  /** Limit of CPU time from the start of the request's work. */
  readonly cpuMs?: number;
  /** Limit of time from the start of the request's work, whatever else the machine does. */
  readonly timeMs: number;
  /** Limit of time until the work starts, for starting a process and loading what it needs. */
  readonly loadMs?: number;
  /** Limit of the memory of the process and its descendants; only on Linux. */
  readonly memoryMb?: number;
  /** Kills the process; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every notice of the program. `reply` sends a notice to it. */
  readonly onNotice?: (notice: unknown, reply: (notice: unknown) => void) => void;
  /** Called once at the end with the CPU time that the request has used, in milliseconds. */
  readonly onCpuTime?: (ms: number) => void;
  /** Called several times a second; what it throws ends the process and is thrown by `run`. */
  readonly check?: () => void;
}

/**
 * - `cpu_time`, `time`, `load_time`: the limit that was exceeded.
 * - `out_of_memory`: the process exceeded a limit of memory.
 * - `died`: native code ended the process, such as by a stack overflow.
 * - `killed`: something else ended the process, such as an administrator or an error while loading.
 * - `threw`: the request threw an error.
 */
export type ProgramErrorCode =
  'cpu_time' | 'time' | 'load_time' | 'out_of_memory' | 'died' | 'killed' | 'threw';

/** A request has no result. Only after `threw` its process goes on. */
export class ProgramError extends Error {
  override name = 'ProgramError';
  readonly code: ProgramErrorCode;
  /** Name of the error that the request threw: `RangeError`. */
  readonly thrownName: string | undefined;
  /** The process ended before the work of the request started. */
  readonly endedBeforeStart: boolean;
  constructor(
    code: ProgramErrorCode,
    message: string,
    {
      thrownName,
      endedBeforeStart = false,
    }: { thrownName?: string; endedBeforeStart?: boolean } = {},
  ) {
    super(message);
    this.code = code;
    this.thrownName = thrownName;
    this.endedBeforeStart = endedBeforeStart;
  }
}

interface IdleProgram {
  readonly program: ChildProgram;
  readonly timer: NodeJS.Timeout;
}

const defaultIdleMs = 60_000;
const defaultLoadMs = 30_000;
const checkEveryMs = 250;

/**
 * Processes that run one program, started when they’re needed and reused. The caller limits how many
 * requests run at once.
 */
export class ProcessPool {
  readonly #options: PoolOptions;
  /** Idle processes; the one used last is the last. Acquiring one removes it. */
  readonly #idle: IdleProgram[] = [];
  readonly #running = new Set<ChildProgram>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Number of requests that are running, each in a process. */
  get runningCount(): number {
    return this.#running.size;
  }

  /**
   * Runs a request in a process. Its result comes from a process that read untrusted data, so the
   * caller parses it.
   *
   * @throws {ProgramError}
   */
  async run(request: unknown, options: RunOptions): Promise<unknown> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw new ProgramError('killed', 'The pool is closed');
    const { program, wasIdle } = this.#acquire();
    try {
      const result = await runRequest(program, request, options);
      this.#release(program);
      return result;
    } catch (error) {
      if (error instanceof ProgramError && error.code === 'threw') this.#release(program);
      else this.#discard(program);
      // An idle process that had ended, or was ending, when it got the request.
      if (wasIdle && error instanceof ProgramError && error.endedBeforeStart)
        return this.run(request, options);
      throw error;
    }
  }

  /** Starts processes until `count` are idle. */
  prewarm(count: number): void {
    // Before the others, since it needs a while until it's ready.
    while (!this.#isClosed && this.#idle.length < count)
      this.#idle.unshift(this.#watchIdle(this.#start()));
  }

  /** Sends a notice to every idle process. */
  notifyIdle(notice: unknown): void {
    for (const { program } of this.#idle) send(program, { type: 'notice', notice });
  }

  /** Kills the idle processes. */
  endIdle(): void {
    for (const { program } of this.#idle.slice()) this.#endIdle(program);
  }

  /** Kills all processes. Requests that are running throw. */
  close(): void {
    this.#isClosed = true;
    this.endIdle();
    for (const program of this.#running) program.kill();
  }

  #start(): ChildProgram {
    const program = new ChildProgram(this.#options);
    for (const notice of this.#options.getFirstNotices?.() ?? [])
      send(program, { type: 'notice', notice });
    return program;
  }

  #acquire(): { program: ChildProgram; wasIdle: boolean } {
    // The last one, so that the others become idle for long.
    const last = this.#idle.findLast(({ program }) => program.isRunning);
    if (last) this.#removeIdle(last);
    const program = last?.program ?? this.#start();
    this.#running.add(program);
    program.ref();
    return { program, wasIdle: last !== undefined };
  }

  #release(program: ChildProgram): void {
    this.#running.delete(program);
    const { maxReusableMb = Infinity } = this.#options;
    const isTooLarge = maxReusableMb < Infinity && program.measureMemoryMb() > maxReusableMb;
    if (this.#isClosed || isTooLarge || !program.isRunning) return program.kill();
    this.#idle.push(this.#watchIdle(program));
  }

  #discard(program: ChildProgram): void {
    this.#running.delete(program);
    program.kill();
  }

  #watchIdle(program: ChildProgram): IdleProgram {
    const { idleMs = defaultIdleMs } = this.#options;
    const timer = setTimeout(() => this.#endIdle(program), idleMs).unref();
    program.unref();
    program.onExit(this.#onIdleExit);
    return { program, timer };
  }

  readonly #onIdleExit = (): void => {
    for (const { program } of this.#idle.filter((item) => !item.program.isRunning))
      this.#endIdle(program);
  };

  #endIdle(program: ChildProgram): void {
    const item = this.#idle.find((other) => other.program === program);
    if (item) this.#removeIdle(item);
    program.kill();
  }

  #removeIdle(item: IdleProgram): void {
    this.#idle.splice(this.#idle.indexOf(item), 1);
    clearTimeout(item.timer);
    item.program.offExit(this.#onIdleExit);
  }
}

function send(program: ChildProgram, message: ToProgram): void {
  program.send(message);
}

/** Runs a request in a process that has no other. Doesn't kill the process. */
function runRequest(
  program: ChildProgram,
  request: unknown,
  {
    cpuMs,
    timeMs,
    loadMs = defaultLoadMs,
    memoryMb,
    signal,
    onNotice,
    onCpuTime,
    check,
  }: RunOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let cpuAtStart: number | undefined;
    /** CPU time used, as of the last look: a process that has ended can't be measured any more. */
    let usedMs = 0;
    const measure = () => {
      const cpuMs = cpuAtStart === undefined ? undefined : program.measureCpuMs();
      if (cpuMs !== undefined) usedMs = cpuMs - (cpuAtStart ?? 0);
    };
    let deadline = setTimeout(
      () => fail('load_time', `The process didn’t start its work within ${loadMs} ms`),
      loadMs,
    );
    const settle = (finish: () => void) => {
      clearTimeout(deadline);
      clearInterval(watcher);
      program.onMessage = undefined;
      program.offExit(onExit);
      signal?.removeEventListener('abort', onAbort);
      measure();
      onCpuTime?.(usedMs);
      finish();
    };
    const fail = (code: ProgramErrorCode, message: string) =>
      settle(() => reject(new ProgramError(code, message)));
    const onExit = (exit: ProgramExit) => {
      const endedBeforeStart = cpuAtStart === undefined;
      settle(() => reject(new ProgramError(findExitCode(exit), exit.reason, { endedBeforeStart })));
    };
    const onAbort = () => settle(() => reject(signal?.reason));
    const start = (spentMs: number) => {
      clearTimeout(deadline);
      cpuAtStart = (program.measureCpuMs() ?? 0) - spentMs;
      deadline = setTimeout(() => fail('time', `It took longer than ${timeMs} ms`), timeMs);
    };
    const watch = () => {
      measure();
      if (cpuMs !== undefined && usedMs > cpuMs)
        return fail('cpu_time', `It took longer than ${cpuMs} ms`);
      if (memoryMb !== undefined && program.measureMemoryMb() > memoryMb)
        return fail('out_of_memory', `It needed more than ${memoryMb} MB of memory`);
      try {
        check?.();
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const watcher = setInterval(watch, Math.min(checkEveryMs, Math.max(20, cpuMs ?? Infinity)));
    program.onMessage = (value) => {
      const message: FromProgram | undefined = parseFromProgram(value);
      switch (message?.type) {
        case 'started':
          return start(message.spentMs);
        case 'notice':
          return onNotice?.(message.notice, (notice) => send(program, { type: 'notice', notice }));
        case 'result':
          return settle(() => resolve(message.result));
        case 'threw':
          return settle(() =>
            reject(new ProgramError('threw', message.message, { thrownName: message.name })),
          );
        default:
          return fail('died', 'The process sent an invalid message');
      }
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    send(program, { type: 'request', request });
    // Ends the promise at once if the process has ended since it became idle.
    program.onExit(onExit);
  });
}

/** Signals of faults in native code. Others come from outside of the process. */
const faultSignals: ReadonlySet<string> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
]);

function findExitCode({ isOutOfMemory, signal }: ProgramExit): ProgramErrorCode {
  if (isOutOfMemory) return 'out_of_memory';
  return signal !== null && faultSignals.has(signal) ? 'died' : 'killed';
}
