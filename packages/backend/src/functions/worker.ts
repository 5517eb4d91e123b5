import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as send, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from '../log.ts';
import { configOptions, denoEnvironment, importOptions } from './deno.ts';
import type { FunctionLimits } from './limits.ts';
import { nodeOptions } from './node.ts';
import { FunctionRefusal } from './refusal.ts';
import { preloadScript, readyLine } from './worker-preload.ts';

export interface WorkerOptions {
  /** Undefined where it is not installed: Node runs the function. */
  deno: string | undefined;
  functionsDir: string;
  name: string;
  /** Where Deno keeps what functions import. */
  cacheDir: string;
  /** All that the function sees of the environment. */
  env: NodeJS.Dict<string>;
  limits: FunctionLimits;
  log: Log;
}

/** What a function is asked. */
export interface Asked {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array | undefined;
}

/** A process with one function in it. Once it has ended it is not started again. */
export interface Worker {
  readonly running: number;
  readonly usedAt: number;
  /** Resolves with the beginning of the answer. Throws a FunctionRefusal. */
  ask(asked: Asked): Promise<IncomingMessage>;
  kill(): void;
  readonly ended: Promise<void>;
}

/**
 * Networks of the machine's surroundings, such as the address at which a cloud tells its secrets.
 * This machine itself stays reachable: the backend is there. (Deno knows ranges of IPv4 alone.)
 */
const unreachable = [
  '169.254.0.0/16',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '[fd00:ec2::254]',
];

/** Starts the function and waits until it listens. Throws a FunctionRefusal. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { limits, log, name } = options;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-function-'));
  const socketPath = join(folder, 'socket');
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const child = await spawnEngine(options, folder).catch(async (error: unknown) => {
    await removeFolder();
    log.error(`functions/${name}: ${String(error)}`);
    throw notStarted(options);
  });
  const ended = untilEnded(child, (error) => log.error(`functions/${name}: ${error.message}`)).then(
    removeFolder,
  );
  guard(child, ended, log);
  const kill = () => void child.kill('SIGKILL');
  const stopWatching = watchMemory(child, limits, () => {
    log.warn('A function took too much memory and was ended.', { function: name });
    kill();
  });
  void ended.then(stopWatching);
  await waitUntilReady(child, ended, options);
  let running = 0;
  let usedAt = Date.now();
  return {
    get running() {
      return running;
    },
    get usedAt() {
      return usedAt;
    },
    kill,
    ended,
    async ask(asked) {
      running += 1;
      const finish = () => {
        running -= 1;
        usedAt = Date.now();
      };
      try {
        const answer = await sendTo(socketPath, asked, limits, kill);
        const tooLong = setTimeout(() => answer.destroy(), limits.wholeMs);
        answer.once('close', () => {
          clearTimeout(tooLong);
          finish();
        });
        return answer;
      } catch (error) {
        finish();
        throw error;
      }
    },
  };
}

async function spawnEngine(options: WorkerOptions, folder: string): Promise<ChildProcess> {
  const { cacheDir, deno, env, functionsDir, limits, name } = options;
  const file = join(functionsDir, name, 'index.ts');
  await writeFile(join(folder, 'preload.js'), preloadScript);
  const child = spawn(
    deno ?? process.execPath,
    deno === undefined
      ? [...nodeOptions(functionsDir, folder, limits.heapMegabytes), file]
      : [...(await denoOptions(options, folder)), file],
    {
      cwd: join(functionsDir, name),
      env: {
        ...env,
        ...denoEnvironment(cacheDir),
        DENO_SERVE_ADDRESS: `unix:${join(folder, 'socket')}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // Others go first: a function that counts without end must not slow them.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  return child;
}

/** Also where it never began: no such program, too many processes. */
function untilEnded(child: ChildProcess, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', (error) => {
      onError(error);
      if (child.pid === undefined) resolve();
    });
  });
}

async function denoOptions(options: WorkerOptions, folder: string): Promise<string[]> {
  const { functionsDir, limits, name } = options;
  return [
    'run',
    '--no-prompt',
    '--cached-only',
    ...configOptions(functionsDir, name),
    ...(await importOptions(functionsDir, name, folder)),
    '--allow-env',
    '--allow-net',
    `--deny-net=${unreachable.join(',')}`,
    `--allow-read=${functionsDir},${folder}`,
    `--deny-read=${join(functionsDir, '.env')}`,
    `--allow-write=${folder}`,
    `--v8-flags=--max-old-space-size=${limits.heapMegabytes}`,
    '--preload',
    join(folder, 'preload.js'),
  ];
}

/** Ends the process when we are killed: its guard reads from a pipe that ends with us. */
function guard({ pid }: ChildProcess, ended: Promise<void>, log: Log): void {
  if (pid === undefined) return;
  const sentry = spawn('/bin/sh', ['-c', 'read -r _; kill -KILL "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  sentry.on('error', ({ message }) =>
    log.warn(`A function would outlive a server that is killed: ${message}`),
  );
  sentry.unref();
  void ended.then(() => sentry.kill('SIGKILL'));
}

async function waitUntilReady(
  child: ChildProcess,
  ended: Promise<void>,
  options: WorkerOptions,
): Promise<void> {
  const { limits, log, name } = options;
  const ready = new Promise<'ready'>((resolve) => {
    const tell = (line: string) => {
      if (line === readyLine) resolve('ready');
      else log.info(`functions/${name}: ${line.slice(0, limits.maxLineLength)}`);
    };
    for (const stream of [child.stdout, child.stderr]) followLines(stream, tell);
  });
  const late = new Promise<'late'>((resolve) => {
    setTimeout(() => resolve('late'), limits.startMs).unref();
  });
  if ((await Promise.race([ready, late, ended])) === 'ready') return;
  child.kill('SIGKILL');
  throw notStarted(options);
}

function notStarted({ deno }: WorkerOptions): FunctionRefusal {
  const hint = deno === undefined ? ' It may want Deno: npm run functions -- install' : '';
  return new FunctionRefusal(
    503,
    'BOOT_ERROR',
    `The function did not start. Its log says why.${hint}`,
  );
}

function followLines(stream: Readable | null, tell: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', tell);
}

/** Resolves with the answer's head. A function that gives none in time is ended. */
function sendTo(
  socketPath: string,
  { method, path, headers, body }: Asked,
  { answerMs }: FunctionLimits,
  kill: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let late = false;
    const request = send({ socketPath, method, path, headers, agent: false });
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, answerMs);
    request.once('response', (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    request.once('error', () => {
      clearTimeout(timer);
      reject(late ? tooLate() : stopped());
    });
    request.end(body);
  });
}

function tooLate(): FunctionRefusal {
  return new FunctionRefusal(546, 'WORKER_LIMIT', 'The function took too long and was ended');
}

function stopped(): FunctionRefusal {
  return new FunctionRefusal(500, 'WORKER_ERROR', 'The function ended before it had answered');
}

/** The heap's limit leaves out what lies beside it, such as buffers. Known on Linux alone. */
function watchMemory(
  { pid }: ChildProcess,
  { processMegabytes, watchMs }: FunctionLimits,
  onTooMuch: () => void,
): () => void {
  const look = async () => {
    // Nothing when it has just ended, or where the system has no such files.
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    if (kilobytes > processMegabytes * 1024) onTooMuch();
  };
  const timer = setInterval(() => void look(), watchMs);
  timer.unref();
  return () => clearInterval(timer);
}
