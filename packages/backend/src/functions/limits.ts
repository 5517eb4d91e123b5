/** Resource limits of one function. */
export const functionLimits = {
  /** Milliseconds from the request to the response headers: endless loops end here. */
  responseTimeoutMs: 10_000,
  /** Milliseconds from the response headers to the end of the response. */
  totalTimeoutMs: 150_000,
  /** Milliseconds from the start of a process until it listens. */
  startTimeoutMs: 10_000,
  /** Limits of the JavaScript heap and of the resident memory of the process. */
  heapMegabytes: 128,
  processMegabytes: 384,
  /** Interval between memory checks, in milliseconds. */
  memoryCheckMs: 500,
  maxBodyBytes: 16 * 1024 * 1024,
  /** Concurrent requests of one function. */
  maxConcurrentRequests: 50,
  /** Concurrent requests of one client address to all functions. */
  maxConcurrentRequestsPerClient: 20,
  /** Concurrent processes. */
  maxWorkers: 8,
  /** Milliseconds without a request after which a process is ended. */
  idleTimeoutMs: 60_000,
  /** Characters per logged line. */
  maxLineLength: 2000,
};

export type FunctionLimits = typeof functionLimits;
