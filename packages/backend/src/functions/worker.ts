import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as send, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from '../log.ts';
import {
  createDenoConfigArguments,
  createDenoEnvironment,
  createImportMapArguments,
} from './deno.ts';
import type { FunctionLimits } from './limits.ts';
import { createNodeArguments } from './node.ts';
import { FunctionError } from './function-error.ts';
import { preloadScript, readyLine } from './worker-preload.ts';

interface FunctionWorkerOptions {
  /** Path of the Deno executable; undefined runs the function in Node. */
  deno: string | undefined;
  functionsDir: string;
  name: string;
  /** Deno's cache directory (DENO_DIR). */
  cacheDir: string;
  /** The complete environment of the function. */
  env: NodeJS.Dict<string>;
  limits: FunctionLimits;
  log: Log;
}

/** A request to a function. */
export interface FunctionRequest {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array | undefined;
}

/** The process of one function. It is not restarted after it ended. */
export interface FunctionWorker {
  readonly activeRequests: number;
  readonly usedAt: number;
  /** Resolves with the response once its headers arrived. Throws a FunctionError. */
  send(functionRequest: FunctionRequest): Promise<IncomingMessage>;
  kill(): void;
  readonly ended: Promise<void>;
}

/**
 * Private and link-local networks, such as the metadata service of a cloud. Loopback stays
 * reachable, as the backend is there. (Deno only supports IPv4 ranges.)
 */
const deniedNetworks = [
  '169.254.0.0/16',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '[fd00:ec2::254]',
];

/** Starts the function and waits until it listens. Throws a FunctionError. */
export async function startFunctionWorker(options: FunctionWorkerOptions): Promise<FunctionWorker> {
  const { limits, log, name } = options;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-function-'));
  const socketPath = join(folder, 'socket');
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const child = await spawnRuntime(options, folder).catch(async (error: unknown) => {
    await removeFolder();
    log.error(`functions/${name}: ${String(error)}`);
    throw createBootError(options);
  });
  const ended = waitForExit(child, (error) =>
    log.error(`functions/${name}: ${error.message}`),
  ).then(removeFolder);
  startGuard(child, ended, log);
  const kill = () => void child.kill('SIGKILL');
  const stopWatching = watchMemory(child, limits, () => {
    log.warn('A function exceeded its memory limit and was stopped.', { function: name });
    kill();
  });
  void ended.then(stopWatching);
  await waitUntilReady(child, ended, options);
  let running = 0;
  let usedAt = Date.now();
  return {
    get activeRequests() {
      return running;
    },
    get usedAt() {
      return usedAt;
    },
    kill,
    ended,
    async send(functionRequest) {
      running += 1;
      const finish = () => {
        running -= 1;
        usedAt = Date.now();
      };
      try {
        const response = await sendOverSocket(socketPath, functionRequest, limits, kill);
        const tooLong = setTimeout(() => response.destroy(), limits.totalTimeoutMs);
        response.once('close', () => {
          clearTimeout(tooLong);
          finish();
        });
        return response;
      } catch (error) {
        finish();
        throw error;
      }
    },
  };
}

async function spawnRuntime(options: FunctionWorkerOptions, folder: string): Promise<ChildProcess> {
  const { cacheDir, deno, env, functionsDir, limits, name } = options;
  const file = join(functionsDir, name, 'index.ts');
  await writeFile(join(folder, 'preload.js'), preloadScript);
  const child = spawn(
    deno ?? process.execPath,
    deno === undefined
      ? [...createNodeArguments(functionsDir, folder, limits.heapMegabytes), file]
      : [...(await denoOptions(options, folder)), file],
    {
      cwd: join(functionsDir, name),
      env: {
        ...env,
        ...createDenoEnvironment(cacheDir),
        DENO_SERVE_ADDRESS: `unix:${join(folder, 'socket')}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // Lowers the priority, so that a busy function does not slow down the server.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  return child;
}

/** Resolves when the process has exited, or could not be started. */
function waitForExit(child: ChildProcess, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', (error) => {
      onError(error);
      if (child.pid === undefined) resolve();
    });
  });
}

async function denoOptions(options: FunctionWorkerOptions, folder: string): Promise<string[]> {
  const { functionsDir, limits, name } = options;
  return [
    'run',
    '--no-prompt',
    '--cached-only',
    ...createDenoConfigArguments(functionsDir, name),
    ...(await createImportMapArguments(functionsDir, name, folder)),
    '--allow-env',
    '--allow-net',
    `--deny-net=${deniedNetworks.join(',')}`,
    `--allow-read=${functionsDir},${folder}`,
    `--deny-read=${join(functionsDir, '.env')}`,
    `--allow-write=${folder}`,
    `--v8-flags=--max-old-space-size=${limits.heapMegabytes}`,
    '--preload',
    join(folder, 'preload.js'),
  ];
}

/**
 * Ends the function when the server is killed: a shell waits for the end of a pipe from the server.
 */
function startGuard({ pid }: ChildProcess, ended: Promise<void>, log: Log): void {
  if (pid === undefined) return;
  const guardProcess = spawn('/bin/sh', ['-c', 'read -r _; kill -KILL "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guardProcess.on('error', ({ message }) =>
    log.warn(`Couldn’t start a function’s watchdog process: ${message}`),
  );
  guardProcess.unref();
  void ended.then(() => guardProcess.kill('SIGKILL'));
}

async function waitUntilReady(
  child: ChildProcess,
  ended: Promise<void>,
  options: FunctionWorkerOptions,
): Promise<void> {
  const { limits, log, name } = options;
  const ready = new Promise<'ready'>((resolve) => {
    const onLine = (line: string) => {
      if (line === readyLine) resolve('ready');
      else log.info(`functions/${name}: ${line.slice(0, limits.maxLineLength)}`);
    };
    for (const stream of [child.stdout, child.stderr]) followLines(stream, onLine);
  });
  const late = new Promise<'late'>((resolve) => {
    setTimeout(() => resolve('late'), limits.startTimeoutMs).unref();
  });
  if ((await Promise.race([ready, late, ended])) === 'ready') return;
  child.kill('SIGKILL');
  throw createBootError(options);
}

function createBootError({ deno }: FunctionWorkerOptions): FunctionError {
  const hint =
    deno === undefined
      ? ' It may need Deno, which you can install with: npm run functions -- install'
      : '';
  return new FunctionError(503, 'BOOT_ERROR', `The function didn’t start. See the log.${hint}`);
}

function followLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', onLine);
}

/** Resolves when the response headers arrived. Ends a function that does not respond in time. */
function sendOverSocket(
  socketPath: string,
  { method, path, headers, body }: FunctionRequest,
  { responseTimeoutMs }: FunctionLimits,
  kill: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let late = false;
    const request = send({ socketPath, method, path, headers, agent: false });
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, responseTimeoutMs);
    request.once('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    request.once('error', () => {
      clearTimeout(timer);
      reject(late ? createTimeoutError() : createWorkerError());
    });
    request.end(body);
  });
}

function createTimeoutError(): FunctionError {
  return new FunctionError(546, 'WORKER_LIMIT', 'The function timed out');
}

function createWorkerError(): FunctionError {
  return new FunctionError(500, 'WORKER_ERROR', 'The function exited before responding');
}

/** Checks the resident memory: the heap limit does not include buffers. Linux only. */
function watchMemory(
  { pid }: ChildProcess,
  { processMegabytes, memoryCheckMs }: FunctionLimits,
  onTooMuch: () => void,
): () => void {
  const checkMemory = async () => {
    // Empty when the process has just ended, and on systems without /proc.
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    if (kilobytes > processMegabytes * 1024) onTooMuch();
  };
  const timer = setInterval(() => void checkMemory(), memoryCheckMs);
  timer.unref();
  return () => clearInterval(timer);
}
