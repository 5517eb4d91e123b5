import { existsSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readBodyWithLimit } from '../body-limit.ts';
import type { Log } from '../log.ts';
import { functionLimits, type FunctionLimits } from './limits.ts';
import { FunctionError, createFunctionErrorResponse } from './function-error.ts';
import { readFunctionSecrets, readFunctionSettings } from './settings.ts';
import { startFunctionWorker, type FunctionRequest, type FunctionWorker } from './worker.ts';

interface FunctionsOptions {
  /** The `supabase` directory, with `config.toml` and `functions`. */
  folder: string;
  /** Path of the Deno executable; undefined runs functions in Node. */
  deno: string | undefined;
  /** Deno's cache directory (DENO_DIR). */
  cacheDir: string;
  /** Environment of every function: `SUPABASE_URL` and the keys. */
  env: NodeJS.Dict<string>;
  log: Log;
  limits?: Partial<FunctionLimits>;
}

export interface FunctionsService {
  /**
   * Handles a request for `/functions/v1/NAME…`. `isKnown` tells whether it has a valid user token
   * or the secret key, and `client` is what limits count its address by; '' for this instance itself.
   * Does not throw a FunctionError.
   */
  handle(request: Request, isKnown: () => Promise<boolean>, client?: string): Promise<Response>;
  close(): Promise<void>;
}

interface Entry {
  startedAt: number;
  worker: Promise<FunctionWorker>;
  /** Set when the worker listens. */
  started?: FunctionWorker;
}

/** The workers of all functions: at most `maxWorkers`, started on demand and ended when idle. */
function createWorkerPool(
  { limits, getFile }: { limits: FunctionLimits; getFile: (name: string) => string },
  startWorker: (name: string) => Promise<FunctionWorker>,
) {
  const workers = new Map<string, Entry>();

  function start(name: string): Entry {
    freeSlot();
    const worker = startWorker(name);
    const entry: Entry = { startedAt: Date.now(), worker };
    workers.set(name, entry);
    const forget = () => {
      if (workers.get(name) === entry) workers.delete(name);
    };
    worker.then((started) => {
      entry.started = started;
      return started.ended.then(forget);
    }, forget);
    return entry;
  }

  /** Removes the worker from the pool and ends it. */
  async function retire(name: string, { worker }: Entry): Promise<void> {
    workers.delete(name);
    const started = await worker.catch(() => undefined);
    started?.kill();
    await started?.ended;
  }

  /** Ends the longest idle worker when all slots are taken. */
  function freeSlot(): void {
    if (workers.size < limits.maxWorkers) return;
    const idle = [...workers]
      .filter(([, { started }]) => started?.activeRequests === 0)
      .sort(([, a], [, b]) => (a.started?.usedAt ?? 0) - (b.started?.usedAt ?? 0));
    const [oldest] = idle;
    if (!oldest) throw new FunctionError(503, 'BUSY', 'Too many functions are running');
    void retire(...oldest);
  }

  function endIdleWorkers(): void {
    for (const [name, entry] of workers) {
      const { started } = entry;
      if (started?.activeRequests !== 0 || Date.now() - started.usedAt < limits.idleTimeoutMs)
        continue;
      void retire(name, entry);
    }
  }

  /** Returns the worker unless its function's file has changed since it started. */
  function findUpToDate(name: string): Entry | undefined {
    const entry = workers.get(name);
    if (!entry || statSync(getFile(name)).mtimeMs <= entry.startedAt) return entry;
    void retire(name, entry);
    return undefined;
  }

  async function send(name: string, functionRequest: FunctionRequest): Promise<IncomingMessage> {
    const entry = findUpToDate(name) ?? start(name);
    const worker = await entry.worker;
    // The worker was retired before it received the request.
    if (workers.get(name) !== entry) return await send(name, functionRequest);
    if (worker.activeRequests >= limits.maxConcurrentRequests) {
      throw new FunctionError(503, 'BUSY', 'The function has too many requests');
    }
    return await worker.send(functionRequest);
  }

  const idleTimer = setInterval(endIdleWorkers, limits.idleTimeoutMs / 4);
  idleTimer.unref();

  return {
    /** Sends a request to the function's worker, which is started if necessary. */
    send,
    async close(): Promise<void> {
      clearInterval(idleTimer);
      await Promise.all([...workers].map(([name, entry]) => retire(name, entry)));
    },
  };
}

/**
 * Edge functions of `supabase/functions/*`, each in its own Deno or Node process that starts with
 * its first request. A crash or endless loop in one function does not affect the others.
 */
export async function openFunctions(options: FunctionsOptions): Promise<FunctionsService> {
  const { cacheDir, deno, folder, log } = options;
  const limits = { ...functionLimits, ...options.limits };
  const functionsDir = join(folder, 'functions');
  const getSettings = await readFunctionSettings(folder);
  const env = { ...(await readFunctionSecrets(folder)), ...options.env };
  const getFile = (name: string) => join(functionsDir, name, 'index.ts');
  const pool = createWorkerPool({ limits, getFile }, (name) =>
    startFunctionWorker({ deno, functionsDir, name, cacheDir, env, limits, log }),
  );

  /** Requests in progress by client. Clients without any have no entry. */
  const active = new Map<string, number>();

  async function send(
    name: string,
    functionRequest: FunctionRequest,
    client: string,
  ): Promise<IncomingMessage> {
    const count = active.get(client) ?? 0;
    if (client !== '' && count >= limits.maxConcurrentRequestsPerClient)
      throw new FunctionError(429, 'RATE_LIMITED', 'You have too many requests in progress');
    active.set(client, count + 1);
    const finish = () => {
      const left = (active.get(client) ?? 0) - 1;
      if (left > 0) active.set(client, left);
      else active.delete(client);
    };
    try {
      const response = await pool.send(name, functionRequest);
      response.once('close', finish);
      return response;
    } catch (error) {
      finish();
      throw error;
    }
  }

  async function answer(
    request: Request,
    isKnown: () => Promise<boolean>,
    client: string,
  ): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.slice('/functions/v1'.length);
    const name = /^\/([A-Za-z][\w-]{0,62})(?:\/|$)/.exec(path)?.[1];
    if (name === undefined || !getSettings(name).enabled || !existsSync(getFile(name))) {
      throw new FunctionError(404, 'NOT_FOUND', 'Requested function was not found');
    }
    // Preflight requests never carry a token.
    const needsToken = getSettings(name).verifyToken && request.method !== 'OPTIONS';
    if (needsToken && !(await isKnown())) {
      throw new FunctionError(401, 'UNAUTHORIZED', 'Invalid JWT');
    }
    const body = await readBodyWithLimit(request, limits.maxBodyBytes);
    if (body === 'too-large') {
      throw new FunctionError(413, 'TOO_LARGE', 'The request body is too large');
    }
    const headers = { ...Object.fromEntries(request.headers), host: url.host };
    const functionRequest: FunctionRequest = {
      method: request.method,
      path: path + url.search,
      headers,
      body,
    };
    return toResponse(await send(name, functionRequest, client));
  }

  return {
    async handle(request, isKnown, client = '') {
      try {
        return await answer(request, isKnown, client);
      } catch (error) {
        if (error instanceof FunctionError) return createFunctionErrorResponse(error);
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

/**
 * Response headers of the connection to the process, and headers that a function may not set for
 * the app's origin.
 */
const droppedHeaders =
  /^(connection|keep-alive|transfer-encoding|set-cookie2?|clear-site-data|strict-transport-security|service-worker-allowed|content-security-policy)$/;

function toResponse(workerResponse: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(workerResponse.headersDistinct)) {
    if (droppedHeaders.test(name)) continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  // Functions share the app's origin: nothing they respond with may execute there.
  headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  const status = workerResponse.statusCode ?? 500;
  if ([204, 205, 304].includes(status)) {
    workerResponse.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(workerResponse) as ReadableStream, { status, headers });
}
