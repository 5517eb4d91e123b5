/**
 * Compiling in worker threads, so that no file holds up the server's own thread. The threads are
 * shared by everybody. A queue deals out their time fairly by project and by client, one project or
 * client occupies one thread at a time, and each client has a quota. A file that takes too long ends
 * its thread, which is replaced.
 */
import { createFairQueue, extension } from '@vitrine/project';
import {
  CompileError,
  CompileWorker,
  type CompileErrorCode,
  type CompileJob,
  type CompileResult,
} from './compile-worker.ts';

/** Who asks for a file to be compiled. */
export interface CompileClient {
  /** A user or an address. */
  key: string;
  /** How long a file may take, in milliseconds of a thread's CPU time. */
  timeoutMs: number;
}

export interface CompileRequest {
  job: CompileJob;
  /** Id of the project that the file is of. */
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
/** For how long projects and clients whose files took too long share a thread among them. */
const slowForMs = 60_000;

const slowCodes: ReadonlySet<CompileErrorCode> = new Set(['timeout', 'overloaded']);

interface Waiting extends CompileRequest {
  resolve(result: CompileResult): void;
  reject(error: unknown): void;
}

/** `quotaMs` is the thread time that a client may use per minute. */
export function createCompilePool({ quotaMs = defaultQuotaMs } = {}): CompilePool {
  const extensions = new Set<string>();
  const workers = Array.from({ length: threadCount }, () => new CompileWorker(extensions));
  const quota = createQuota(quotaMs);
  /** Key of a project or client with a file that took too long → until when that counts. */
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
    keysOf(waiting) {
      const flows = flowsOf(waiting);
      return flows.some(isSlow) ? [...flows, 'slow'] : flows;
    },
  });
  let isClosed = false;

  const markSlow = (waiting: Waiting) => {
    for (const flow of flowsOf(waiting)) {
      slow.delete(flow);
      slow.set(flow, Date.now() + slowForMs);
    }
    for (const flow of slow.keys()) if (!isSlow(flow) || slow.size > 1_000) slow.delete(flow);
  };
  const findIdle = () => {
    const idle = workers.find((worker) => !worker.isBusy);
    if (!idle) throw new Error('more files are taken than there are threads');
    return idle;
  };
  /** A thread that has not compiled such a file yet would take a second for its first one. */
  const loadElsewhere = (extension: string, here: CompileWorker) => {
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
      // It may have been used up while this waited.
      quota.check(client.key);
      const worker = findIdle();
      const compiled = worker.run(job, client.timeoutMs);
      loadElsewhere(extension(job.path), worker);
      resolve(await compiled);
    } catch (error) {
      const isOfTime = error instanceof CompileError && slowCodes.has(error.code);
      if (isOfTime) markSlow(waiting);
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
  /** Throws `CompileError` when the client has to wait. */
  check(client: string): void;
  charge(client: string, ms: number): void;
}

const maxQuotaClients = 10_000;

/** Thread time per client: `msPerMinute` at once, won back evenly within a minute. */
function createQuota(msPerMinute: number): Quota {
  /** Client → what it had used at that time. The one charged longest ago goes first. */
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
      const message = `Compile time limit reached for your network. Try again in ${waitS} seconds.`;
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
