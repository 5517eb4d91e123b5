import { ProcessPool, ProgramError } from '@vitrine/processes';
import { createFairQueue, findErrorCode, VitrineError } from '@vitrine/project';
import { getClientAddress } from '../client-address.ts';
import { describeReason, type PackageLog } from '../log.ts';
import type { PackumentCache } from '../registry/packument-cache.ts';
import {
  parseJobOutcome,
  parsePackumentRequest,
  type JobFailure,
  type JobKind,
  type Jobs,
  type PackumentMessage,
  type ResolveJob,
} from './resolve-protocol.ts';

/**
 * Runs resolve jobs in a few processes, with a queue that is fair by client and a time limit for each
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
  readonly job: ResolveJob;
  /** Aborts when nobody waits for the job any more. */
  readonly signal: AbortSignal | undefined;
  resolve(result: Jobs[JobKind]['result']): void;
  reject(error: unknown): void;
}

interface ResolverOptions {
  readonly packuments: PackumentCache;
  readonly log: PackageLog;
  readonly processes: number;
  /** Time limit for one job, including waiting for the registry. */
  readonly jobMs: number;
  readonly queueMax: number;
}

const processes = new ProcessPool({
  program: new URL('resolve-program.ts', import.meta.url),
  heapMb: 1_024,
});

export function createResolver(options: ResolverOptions): Resolver {
  const queue = createFairQueue<QueuedJob>({
    slots: options.processes,
    // One client's slow jobs leave a process for other clients.
    slotsPerKey: Math.max(1, options.processes - 1),
    maxWaiting: options.queueMax,
    getKeys: ({ client }) => [client],
  });
  /** Aborts all jobs. */
  const closing = new AbortController();

  const startNext = (): void => {
    for (let job = queue.take(); job; job = queue.take()) void runNext(job);
  };
  const runNext = async (job: QueuedJob): Promise<void> => {
    const start = performance.now();
    try {
      job.resolve(await runInProcess(job, closing.signal, options));
    } catch (error) {
      job.reject(error);
    }
    queue.finish(job, performance.now() - start);
    startNext();
  };

  return {
    run(kind, input, signal) {
      if (closing.signal.aborted) return Promise.reject(new VitrineError('packages_busy'));
      const result = new Promise<Jobs[JobKind]['result']>((resolve, reject) => {
        queue
          .add({ client: getClientAddress(), job: { kind, input }, signal, resolve, reject })
          ?.reject(new VitrineError('packages_busy'));
      });
      startNext();
      return result;
    },
    async close() {
      closing.abort();
      for (const job of queue.clear()) job.reject(new VitrineError('packages_busy'));
    },
  };
}

/** Runs one job in a process, and responds to its requests for packuments in the meantime. */
async function runInProcess(
  { job, signal: waiting }: QueuedJob,
  closing: AbortSignal,
  options: ResolverOptions,
): Promise<Jobs[JobKind]['result']> {
  const { log, jobMs } = options;
  const signal = AbortSignal.any(waiting ? [waiting, closing] : [closing]);
  /** Packages whose versions are only known as far as they were without the registry. */
  const fallbacks = new Set<string>();
  const result = await processes
    .run(job, {
      timeMs: jobMs,
      signal,
      onNotice(notice, reply) {
        const request = parsePackumentRequest(notice);
        if (request) void readPackument(request.name, options, fallbacks).then(reply);
      },
    })
    .catch((error: unknown) => {
      if (error instanceof ProgramError && !signal.aborted)
        log.error('A process that resolves packages was ended.', { reason: error.message });
      throw convertFailure(error, signal);
    });
  const outcome = parseJobOutcome(result);
  if (outcome.type === 'done') return outcome.result;
  const { code, details } = explainFailure(outcome.failure, fallbacks);
  if (code === 'unexpected') log.error('Resolving packages failed.', { reason: details ?? '' });
  throw new VitrineError(code, code === 'unexpected' ? undefined : details);
}

function convertFailure(error: unknown, signal: AbortSignal): VitrineError {
  if (signal.aborted) return new VitrineError('packages_busy');
  const isSlow = error instanceof ProgramError && ['time', 'load_time'].includes(error.code);
  return new VitrineError(isSlow ? 'packages_too_slow' : 'unexpected', undefined, { cause: error });
}

/** A version that a fallback doesn't have may exist in the registry. */
function explainFailure(failure: JobFailure, fallbacks: ReadonlySet<string>): JobFailure {
  if (failure.code !== 'package_version_not_found') return failure;
  // 'three@^99'
  const [, name = ''] = /^(@?[^@]+)/.exec(failure.details ?? '') ?? [];
  return fallbacks.has(name) ? { code: 'registry_unreachable' } : failure;
}

function readPackument(
  name: string,
  { packuments, log }: ResolverOptions,
  fallbacks: Set<string>,
): Promise<PackumentMessage> {
  return packuments.read(name).then(
    ({ body, isFallback }): PackumentMessage => {
      if (isFallback === true) fallbacks.add(name);
      return { type: 'packument', name, body };
    },
    (error: unknown): PackumentMessage => {
      const failure = describeFailure(error);
      if (failure.code === 'unexpected') {
        log.error('Couldn’t read a package’s registry metadata.', {
          reason: describeReason(error),
        });
      }
      return { type: 'packument-failed', name, failure };
    },
  );
}

function describeFailure(error: unknown): JobFailure {
  const code = findErrorCode(error);
  const details = error instanceof VitrineError ? error.details : undefined;
  return details === undefined ? { code } : { code, details };
}
