import { createFairQueue, findErrorCode, VitrineError } from '@vitrine/project';
import type { Worker } from 'node:worker_threads';
import { getClientAddress } from '../client-address.ts';
import { describeReason, type PackageLog } from '../log.ts';
import type { PackumentCache } from '../registry/packument-cache.ts';
import type {
  JobFailure,
  MessageFromThread,
  JobKind,
  Jobs,
  MessageToThread,
} from './resolve-protocol.ts';
import { releaseThread, acquireThread } from './resolve-thread-pool.ts';

/**
 * Runs resolve jobs in a few threads, with a queue that is fair by client and a time limit for each
 * job.
 */
export interface Resolver {
  /**
   * Runs a job.
   *
   * @throws What the job throws, `packages_too_slow`, and `packages_busy` when the queue is full or
   * `signal` aborts.
   */
  run<Kind extends JobKind>(
    kind: Kind,
    input: Jobs[Kind]['input'],
    signal?: AbortSignal,
  ): Promise<Jobs[Kind]['result']>;
  close(): Promise<void>;
}

interface QueuedJob {
  readonly client: string;
  readonly message: MessageToThread;
  /** Aborts when nobody waits for the job any more. */
  readonly signal: AbortSignal | undefined;
  resolve(result: Jobs[JobKind]['result']): void;
  reject(error: unknown): void;
}

interface ResolverOptions {
  readonly packuments: PackumentCache;
  readonly log: PackageLog;
  readonly threads: number;
  /** Time limit for one job, including waiting for the registry. */
  readonly jobMs: number;
  readonly queueMax: number;
}

export function createResolver(options: ResolverOptions): Resolver {
  const queue = createFairQueue<QueuedJob>({
    slots: options.threads,
    // One client's slow jobs leave a thread for other clients.
    slotsPerKey: Math.max(1, options.threads - 1),
    maxWaiting: options.queueMax,
    getKeys: ({ client }) => [client],
  });
  const busy = new Set<Worker>();
  let isClosed = false;

  const startNext = (): void => {
    for (let job = queue.take(); job; job = queue.take()) void runOn(acquireThread(), job);
  };

  const runOn = async (thread: Worker, job: QueuedJob): Promise<void> => {
    busy.add(thread);
    const start = performance.now();
    try {
      job.resolve(await runInThread(thread, job, options));
      releaseThread(thread, options.log);
    } catch (error) {
      job.reject(error);
      if (error instanceof ThreadLost) await thread.terminate();
      else releaseThread(thread, options.log);
    }
    busy.delete(thread);
    queue.finish(job, performance.now() - start);
    startNext();
  };

  return {
    run(kind, input, signal) {
      if (isClosed) return Promise.reject(new VitrineError('packages_busy'));
      const message: MessageToThread = { type: 'job', kind, input };
      const result = new Promise<Jobs[JobKind]['result']>((resolve, reject) => {
        queue
          .add({ client: getClientAddress(), message, signal, resolve, reject })
          ?.reject(new VitrineError('packages_busy'));
      });
      startNext();
      return result;
    },
    async close() {
      isClosed = true;
      for (const job of queue.clear()) job.reject(new VitrineError('packages_busy'));
      await Promise.all([...busy].map((thread) => thread.terminate()));
    },
  };
}

/** The thread can't run another job, because it is stuck or has crashed. */
class ThreadLost extends VitrineError {}

/** Runs one job in a thread, and responds to its requests for packuments in the meantime. */
function runInThread(
  thread: Worker,
  { message: job, signal }: QueuedJob,
  options: ResolverOptions,
): Promise<Jobs[JobKind]['result']> {
  const { log, jobMs } = options;
  /** Packages whose versions are only known as far as they were without the registry. */
  const fallbacks = new Set<string>();
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      thread.unref();
      finish();
    };
    const timer = setTimeout(() => {
      settle(() => reject(new ThreadLost('packages_too_slow')));
    }, jobMs);
    // A computing thread can't be interrupted other than by terminating it.
    const onAbort = () => settle(() => reject(new ThreadLost('packages_busy')));
    const onError = (error: unknown) => {
      settle(() => reject(new ThreadLost('unexpected', undefined, { cause: error })));
    };
    const onExit = () => onError(new Error('exit'));
    const onMessage = (message: MessageFromThread) => {
      if (message.type === 'request-packument')
        return void sendPackument(thread, message.name, options, fallbacks);
      if (message.type === 'done') return settle(() => resolve(message.result));
      const { code, details } = explainFailure(message.failure, fallbacks);
      if (code === 'unexpected') log.error('Resolving packages failed.', { reason: details ?? '' });
      settle(() => reject(new VitrineError(code, code === 'unexpected' ? undefined : details)));
    };
    if (signal?.aborted) return settle(() => reject(new VitrineError('packages_busy')));
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.ref();
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(job);
  });
}

/** A version that a fallback doesn't have may exist in the registry. */
function explainFailure(failure: JobFailure, fallbacks: ReadonlySet<string>): JobFailure {
  if (failure.code !== 'package_version_not_found') return failure;
  // 'three@^99'
  const [, name = ''] = /^(@?[^@]+)/.exec(failure.details ?? '') ?? [];
  return fallbacks.has(name) ? { code: 'registry_unreachable' } : failure;
}

async function sendPackument(
  thread: Worker,
  name: string,
  { packuments, log }: ResolverOptions,
  fallbacks: Set<string>,
): Promise<void> {
  const message = await packuments.read(name).then(
    ({ body, isFallback }): MessageToThread => {
      if (isFallback === true) fallbacks.add(name);
      return { type: 'packument', name, body };
    },
    (error: unknown): MessageToThread => {
      const failure = describeFailure(error);
      if (failure.code === 'unexpected') {
        log.error('Couldn’t read a package’s registry metadata.', {
          reason: describeReason(error),
        });
      }
      return { type: 'packument-failed', name, failure };
    },
  );
  thread.postMessage(message);
}

function describeFailure(error: unknown): JobFailure {
  const code = findErrorCode(error);
  const details = error instanceof VitrineError ? error.details : undefined;
  return details === undefined ? { code } : { code, details };
}
