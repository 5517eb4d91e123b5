/** What one function may take of the machine. */
export const functionLimits = {
  /** From the request to the beginning of the answer: an endless loop ends here. */
  answerMs: 10_000,
  /** To the end of the answer. */
  wholeMs: 150_000,
  /** From the start of a process until it listens, with its imports read. */
  startMs: 10_000,
  /** Of the JavaScript heap, and of the process with all that it holds. */
  heapMegabytes: 128,
  processMegabytes: 384,
  /** How often the process is looked at. */
  watchMs: 500,
  maxBodyBytes: 16 * 1024 * 1024,
  /** Requests that one function answers at a time. */
  maxRunning: 50,
  /** Functions that have a process at a time. */
  maxWorkers: 8,
  /** After so long without a request the process is ended. */
  idleMs: 60_000,
  /** Characters of a line that is logged. */
  maxLineLength: 2000,
};

export type FunctionLimits = typeof functionLimits;
