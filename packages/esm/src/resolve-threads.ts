/** The threads of this process that resolve: started for who has a job, and kept a while for the next. */
import { Worker } from 'node:worker_threads';
import { describeReason, type PackageLog } from './log.ts';

/** npm's resolver takes forty megabytes and half a second to load: what nobody uses for so long, goes. */
const idleMs = 5 * 60_000;

/** Thread without a job → what ends its waiting for one. */
const resting = new Map<Worker, () => void>();

/** One that is free, the last that was used first, or a new one. Nothing waits for it to end. */
export function takeThread(): Worker {
  const last = [...resting].at(-1);
  if (last === undefined) return startThread();
  const [thread, stopResting] = last;
  stopResting();
  return thread;
}

/** It is done, and whole. Should it fail until it is taken again, the log is told. */
export function returnThread(thread: Worker, log: PackageLog): void {
  const onError = (error: unknown) => {
    stopResting();
    log.error('A thread that resolves packages failed.', { reason: describeReason(error) });
  };
  const timer = setTimeout(() => {
    stopResting();
    void thread.terminate();
  }, idleMs).unref();
  const stopResting = () => {
    clearTimeout(timer);
    thread.off('error', onError);
    resting.delete(thread);
  };
  thread.on('error', onError);
  resting.set(thread, stopResting);
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
