/**
 * Pool of the threads that resolve packages. A thread is started for a job and kept for a while.
 */
import { Worker } from 'node:worker_threads';
import { describeReason, type PackageLog } from '../log.ts';

/**
 * Time until an idle thread is terminated. npm's resolver takes half a second and forty megabytes
 * to load.
 */
const idleMs = 5 * 60_000;

/** Idle thread → function that removes it from the pool. */
const idle = new Map<Worker, () => void>();

/**
 * Takes the most recently used idle thread, or starts one. Threads don't keep the process alive.
 */
export function acquireThread(): Worker {
  const last = [...idle].at(-1);
  if (last === undefined) return startThread();
  const [thread, removeFromPool] = last;
  removeFromPool();
  return thread;
}

/** Returns a thread to the pool. A crash while it is idle is logged. */
export function releaseThread(thread: Worker, log: PackageLog): void {
  const onError = (error: unknown) => {
    removeFromPool();
    log.error('A package resolver thread crashed.', { reason: describeReason(error) });
  };
  const timer = setTimeout(() => {
    removeFromPool();
    void thread.terminate();
  }, idleMs).unref();
  const removeFromPool = () => {
    clearTimeout(timer);
    thread.off('error', onError);
    idle.delete(thread);
  };
  thread.on('error', onError);
  idle.set(thread, removeFromPool);
}

function startThread(): Worker {
  const thread = new Worker(new URL('resolve-thread.ts', import.meta.url), {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  thread.unref();
  return thread;
}
