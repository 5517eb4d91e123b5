import { createFairQueue, findErrorCode, VitrineError } from '@vitrine/project';
import type { Worker } from 'node:worker_threads';
import { currentClient } from './client-address.ts';
import { describeReason, type PackageLog } from './log.ts';
import type { Packuments } from './packuments.ts';
import type { Failure, FromThread, JobKind, Jobs, ToThread } from './resolve-protocol.ts';
import { returnThread, takeThread } from './resolve-threads.ts';

/** Resolving beside the server's thread: a few threads, a queue that is fair by client, and an end to everything. */
export interface Resolver {
  /**
   * Throws what the job throws, `packages_too_slow`, and `packages_busy`, also when the signal ends it.
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
  readonly message: ToThread;
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal | undefined;
  settle(result: Jobs[JobKind]['result']): void;
  fail(error: unknown): void;
}

export interface ResolverOptions {
  readonly packuments: Packuments;
  readonly log: PackageLog;
  readonly threads: number;
  /** For one job, waiting for the registry included. */
  readonly jobMs: number;
  readonly queueMax: number;
}

export function createResolver(options: ResolverOptions): Resolver {
  const queue = createFairQueue<QueuedJob>({
    slots: options.threads,
    // One client's slow jobs leave a thread for the others.
    slotsPerKey: Math.max(1, options.threads - 1),
    maxWaiting: options.queueMax,
    keysOf: ({ client }) => [client],
  });
  const busy = new Set<Worker>();
  let closed = false;

  const startNext = (): void => {
    for (let job = queue.take(); job; job = queue.take()) void runOn(takeThread(), job);
  };

  const runOn = async (thread: Worker, job: QueuedJob): Promise<void> => {
    busy.add(thread);
    const start = performance.now();
    try {
      job.settle(await exchange(thread, job, options));
      returnThread(thread, options.log);
    } catch (error) {
      job.fail(error);
      if (error instanceof ThreadLost) await thread.terminate();
      else returnThread(thread, options.log);
    }
    busy.delete(thread);
    queue.finish(job, performance.now() - start);
    startNext();
  };

  return {
    run(kind, input, signal) {
      if (closed) return Promise.reject(new VitrineError('packages_busy'));
      const message: ToThread = { type: 'job', kind, input };
      const result = new Promise<Jobs[JobKind]['result']>((settle, fail) => {
        queue
          .add({ client: currentClient(), message, signal, settle, fail })
          ?.fail(new VitrineError('packages_busy'));
      });
      startNext();
      return result;
    },
    async close() {
      closed = true;
      for (const job of queue.clear()) job.fail(new VitrineError('packages_busy'));
      await Promise.all([...busy].map((thread) => thread.terminate()));
    },
  };
}

/** The thread can do no other job: it is stuck, or it died. */
class ThreadLost extends VitrineError {}

/** One job, from its start to its answer, with the documents it asks for meanwhile. */
function exchange(
  thread: Worker,
  { message: job, signal }: QueuedJob,
  options: ResolverOptions,
): Promise<Jobs[JobKind]['result']> {
  const { log, jobMs } = options;
  return new Promise((settle, fail) => {
    const end = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      thread.unref();
      finish();
    };
    const timer = setTimeout(() => {
      end(() => fail(new ThreadLost('packages_too_slow')));
    }, jobMs);
    // A thread cannot be told to stop computing.
    const onAbort = () => end(() => fail(new ThreadLost('packages_busy')));
    const onError = (error: unknown) => {
      end(() => fail(new ThreadLost('unexpected', undefined, { cause: error })));
    };
    const onExit = () => onError(new Error('exit'));
    const onMessage = (message: FromThread) => {
      if (message.type === 'read-packument') return void answer(thread, message.name, options);
      if (message.type === 'done') return end(() => settle(message.result));
      const { code, details } = message.failure;
      if (code === 'unexpected') log.error('Resolving failed.', { reason: details ?? '' });
      end(() => fail(new VitrineError(code, code === 'unexpected' ? undefined : details)));
    };
    if (signal?.aborted) return end(() => fail(new VitrineError('packages_busy')));
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.ref();
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(job);
  });
}

async function answer(
  thread: Worker,
  name: string,
  { packuments, log }: ResolverOptions,
): Promise<void> {
  const message = await packuments.read(name).then(
    (body): ToThread => ({ type: 'packument', name, body }),
    (error: unknown): ToThread => {
      const failure = failureOf(error);
      if (failure.code === 'unexpected') {
        log.error('A package document could not be had.', { reason: describeReason(error) });
      }
      return { type: 'no-packument', name, failure };
    },
  );
  thread.postMessage(message);
}

function failureOf(error: unknown): Failure {
  const code = findErrorCode(error);
  const details = error instanceof VitrineError ? error.details : undefined;
  return details === undefined ? { code } : { code, details };
}
