/**
 * Pool of compiler processes, so that no file blocks or ends the server's own. A queue divides their time fairly
 * among projects and clients; each project or client uses at most one process at a time, and each client has a
 * quota. A process that takes too long for a file, or that a file ends, is replaced.
 */
import { ProcessPool, ProgramError, type ProgramErrorCode } from '@vitrine/processes';
import { createFairQueue, getExtension } from '@vitrine/project';
import {
  CompileError,
  describeFailure,
  type CompileErrorCode,
  type CompileJob,
  type CompileNotice,
  type FileContext,
} from './compile-job.ts';

/** The client that a file is compiled for. */
export interface CompileClient {
  /** User or IP address. */
  key: string;
  /** CPU time limit per file, in milliseconds. */
  timeoutMs: number;
}

export interface CompileRequest {
  job: CompileJob;
  /** Context of a file. */
  context?: FileContext;
  /** Id of the file's project. */
  project: string;
  client: CompileClient;
}

export interface CompilePool {
  /** Returns the job's result, which the caller parses. Rejects with `CompileError`. */
  run(request: CompileRequest): Promise<unknown>;
  /** Starts a process if there is none, because a file is likely to be requested soon. */
  prewarm(): void;
  close(): Promise<void>;
}

const processCount = 2;
/** Several times what a file of the largest size needs. */
const processLimits = { heapMb: 512, dataMb: 2_048 };
/** Ends of a process that take next to no CPU time, and what starting another one takes. */
const fatalCodes: ReadonlySet<ProgramErrorCode> = new Set(['died', 'out_of_memory']);
const restartMs = 500;
/** Wall time beyond the CPU time limit after which a run is aborted on a busy machine. */
const graceMs = 20_000;
const maxWaiting = 500;
/** A new process loads the compilers of the languages that were used within this time. */
const recentMs = 10 * 60_000;
const defaultQuotaMs = 30_000;
/** Time that projects and clients with a slow file share a single process. */
const slowPeriodMs = 60_000;

/** A process has to be replaced after these. */
const slowCodes: ReadonlySet<CompileErrorCode> = new Set([
  'timeout',
  'out_of_memory',
  'fatal',
  'overloaded',
]);

interface Waiting extends CompileRequest {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Creates a pool. `quotaMs` is the compile time per client and minute. */
export function createCompilePool({ quotaMs = defaultQuotaMs } = {}): CompilePool {
  /** Time of the last file with an extension, in milliseconds since the epoch. */
  const lastUsed = new Map<string, number>();
  const processes = new ProcessPool({
    program: new URL('./compile-program.ts', import.meta.url),
    ...processLimits,
    getFirstNotices: () =>
      Array.from(lastUsed)
        .filter(([, time]) => time > Date.now() - recentMs)
        .map(([extension]): CompileNotice => ({ type: 'load', extension })),
  });
  const quota = createQuota(quotaMs);
  /** End of the slow period of a project or client, by key; in milliseconds since the epoch. */
  const slow = new Map<string, number>();
  const flowsOf = ({ project, client }: CompileRequest) => [
    `project ${project}`,
    `client ${client.key}`,
  ];
  const isSlow = (flow: string) => (slow.get(flow) ?? 0) > Date.now();
  const queue = createFairQueue<Waiting>({
    slots: processCount,
    slotsPerKey: 1,
    maxWaiting,
    getKeys(waiting) {
      const flows = flowsOf(waiting);
      return flows.some(isSlow) ? [...flows, 'slow'] : flows;
    },
  });
  let isClosed = false;

  const markSlow = (waiting: Waiting) => {
    for (const flow of flowsOf(waiting)) {
      slow.delete(flow);
      slow.set(flow, Date.now() + slowPeriodMs);
    }
    for (const flow of slow.keys()) if (!isSlow(flow) || slow.size > 1_000) slow.delete(flow);
  };
  /** Loads a language in the other process, too; otherwise it would need a second for its first file. */
  const loadInOthers = (extension: string) => {
    const isKnown = lastUsed.has(extension);
    lastUsed.set(extension, Date.now());
    if (isKnown) return;
    const notice: CompileNotice = { type: 'load', extension };
    processes.notifyIdle(notice);
    processes.prewarm(processCount - processes.runningCount);
  };
  const runInProcess = async ({ job, context, client }: CompileRequest) => {
    const { timeoutMs } = client;
    const running = processes.run(job, {
      cpuMs: timeoutMs,
      timeMs: timeoutMs + graceMs,
      onNotice(_notice, reply) {
        if (!context) return;
        const notice: CompileNotice = { type: 'context', context };
        reply(notice);
      },
      onCpuTime: (ms) => quota.charge(client.key, ms),
    });
    if (job.type === 'file') loadInOthers(getExtension(job.path));
    try {
      return await running;
    } catch (error) {
      if (isClosed) throw createClosedError();
      if (error instanceof ProgramError && fatalCodes.has(error.code))
        quota.charge(client.key, restartMs);
      // Started at once, so that the next file doesn't have to wait.
      processes.prewarm(processCount - processes.runningCount);
      throw error instanceof ProgramError ? describeFailure(job, error, timeoutMs) : error;
    }
  };
  const dispatch = () => {
    for (;;) {
      const waiting = isClosed ? undefined : queue.take();
      if (!waiting) return;
      void run(waiting);
    }
  };
  const run = async (waiting: Waiting) => {
    const { client, resolve, reject } = waiting;
    const start = performance.now();
    try {
      // The quota may have been used up while the request waited.
      quota.check(client.key);
      resolve(await runInProcess(waiting));
    } catch (error) {
      if (error instanceof CompileError && slowCodes.has(error.code)) markSlow(waiting);
      reject(error);
    } finally {
      queue.finish(waiting, performance.now() - start);
      dispatch();
    }
  };

  return {
    run: (request) =>
      new Promise((resolve, reject) => {
        quota.check(request.client.key);
        const dropped = queue.add({ ...request, resolve, reject });
        const message = 'The compile queue is full. Try again in a few seconds.';
        dropped?.reject(new CompileError('queue_full', message, 5));
        dispatch();
      }),
    prewarm() {
      if (processes.runningCount === 0) processes.prewarm(1);
    },
    async close() {
      isClosed = true;
      for (const { reject } of queue.clear()) reject(createClosedError());
      processes.close();
    },
  };
}

function createClosedError(): CompileError {
  return new CompileError('closed', 'The server is shutting down.', 5);
}

interface Quota {
  /** @throws {CompileError} If the client has used up its quota. */
  check(client: string): void;
  charge(client: string, ms: number): void;
}

const maxQuotaClients = 10_000;

/** Creates a quota: `msPerMinute` of thread time at once, regained evenly within a minute. */
function createQuota(msPerMinute: number): Quota {
  /** Time used by a client, as of `at`. The client charged longest ago is dropped first. */
  const used = new Map<string, { ms: number; at: number }>();
  const usedNow = (client: string) => {
    const { ms, at } = used.get(client) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - ((Date.now() - at) / 60_000) * msPerMinute);
  };
  return {
    check(client) {
      const overMs = usedNow(client) - msPerMinute;
      if (overMs < 0) return;
      const waitS = Math.ceil((overMs / msPerMinute) * 60) + 1;
      const wait = waitS === 1 ? '1 second' : `${waitS} seconds`;
      const message = `Your network has reached its compile-time limit. Try again in ${wait}.`;
      throw new CompileError('quota_exceeded', message, waitS);
    },
    charge(client, ms) {
      const total = usedNow(client) + ms;
      used.delete(client);
      used.set(client, { ms: total, at: Date.now() });
      const [oldest] = used.keys();
      if (used.size > maxQuotaClients && oldest !== undefined) used.delete(oldest);
    },
  };
}
