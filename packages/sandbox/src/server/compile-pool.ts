/**
 * Pool of compiler threads, so that no file blocks the server's own thread. A queue divides their time fairly among
 * projects and clients; each project or client uses at most one thread at a time, and each client has a quota. A
 * thread that takes too long for a file is terminated and replaced.
 */
import { createFairQueue, getExtension } from '@vitrine/project';
import {
  CompileError,
  CompileWorker,
  type CompileErrorCode,
  type CompileJob,
  type CompileResult,
} from './compile-worker.ts';

/** The client that a file is compiled for. */
export interface CompileClient {
  /** User or IP address. */
  key: string;
  /** CPU time limit per file, in milliseconds. */
  timeoutMs: number;
}

export interface CompileRequest {
  job: CompileJob;
  /** Id of the file's project. */
  project: string;
  client: CompileClient;
}

export interface CompilePool {
  /** Rejects with `CompileError`. */
  compile(request: CompileRequest): Promise<CompileResult>;
  close(): Promise<void>;
}

const threadCount = 2;
const maxWaiting = 500;
const defaultQuotaMs = 30_000;
/** Time that projects and clients with a slow file share a single thread. */
const slowPeriodMs = 60_000;

const slowCodes: ReadonlySet<CompileErrorCode> = new Set(['timeout', 'overloaded']);

interface Waiting extends CompileRequest {
  resolve(result: CompileResult): void;
  reject(error: unknown): void;
}

/** Creates a pool. `quotaMs` is the thread time per client and minute. */
export function createCompilePool({ quotaMs = defaultQuotaMs } = {}): CompilePool {
  const extensions = new Set<string>();
  const workers = Array.from({ length: threadCount }, () => new CompileWorker(extensions));
  const quota = createQuota(quotaMs);
  /** End of the slow period of a project or client, by key; in milliseconds since the epoch. */
  const slow = new Map<string, number>();
  const flowsOf = ({ project, client }: CompileRequest) => [
    `project ${project}`,
    `client ${client.key}`,
  ];
  const isSlow = (flow: string) => (slow.get(flow) ?? 0) > Date.now();
  const queue = createFairQueue<Waiting>({
    slots: threadCount,
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
  const findIdle = () => {
    const idle = workers.find((worker) => !worker.isBusy);
    if (!idle) throw new Error('more files are taken than there are threads');
    return idle;
  };
  /** Loads a language in the other threads too; otherwise each would need a second for its first file. */
  const loadInOthers = (extension: string, here: CompileWorker) => {
    if (extensions.has(extension)) return;
    extensions.add(extension);
    for (const worker of workers) if (worker !== here) worker.load(extension);
  };
  const dispatch = () => {
    for (;;) {
      const waiting = isClosed ? undefined : queue.take();
      if (!waiting) return;
      void run(waiting);
    }
  };
  const run = async (waiting: Waiting) => {
    const { job, client, resolve, reject } = waiting;
    const start = performance.now();
    try {
      // The quota may have been used up while the request waited.
      quota.check(client.key);
      const worker = findIdle();
      const compiled = worker.run(job, client.timeoutMs);
      loadInOthers(getExtension(job.path), worker);
      resolve(await compiled);
    } catch (error) {
      const isTimeout = error instanceof CompileError && slowCodes.has(error.code);
      if (isTimeout) markSlow(waiting);
      reject(error);
    } finally {
      const usedMs = performance.now() - start;
      quota.charge(client.key, usedMs);
      queue.finish(waiting, usedMs);
      dispatch();
    }
  };

  return {
    compile: (request) =>
      new Promise((resolve, reject) => {
        quota.check(request.client.key);
        const dropped = queue.add({ ...request, resolve, reject });
        const message = 'The compile queue is full. Try again in a few seconds.';
        dropped?.reject(new CompileError('queue_full', message, 5));
        dispatch();
      }),
    async close() {
      isClosed = true;
      for (const { reject } of queue.clear())
        reject(new CompileError('closed', 'The server is shutting down.', 5));
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
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
