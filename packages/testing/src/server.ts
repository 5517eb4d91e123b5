import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProcesses, stopProcess } from './server-processes.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A real server in its own process, on a free port, with its data in a temporary folder. */
export interface TestServer {
  readonly address: string;
  readonly host: string;
  readonly dataDir: string;
  /** The outbox link in the startup output. */
  readonly outboxLink: string;
  /** The process with the database, if there are several. */
  readonly process: ChildProcess;
  /** All processes, that with the database first. */
  readonly processes: readonly ChildProcess[];
  /** All lines of the log, for assertions about what must not be there. */
  readonly log: readonly string[];
  /** Stops the processes like Ctrl-C and resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Data folder of an earlier server to restart. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of another build of this project. */
  readonly root?: string;
  /** Starts with an empty package store, instead of the one shared by the run's servers. */
  readonly hasOwnPackages?: boolean;
}

/** Starts the server and waits until it is ready. Throws with its log on failure. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await makeDataDir(options.hasOwnPackages ?? false));
  const log: string[] = [];
  const startOne = (env: Readonly<Record<string, string>>) =>
    startProcess(options.root ?? root, { dataDir, log, env });
  const { address, outboxLink, processes } = await startProcesses(options, dataDir, startOne);
  const [main] = processes;
  if (!main) throw new Error('no process was started');
  // The process with the database stops last.
  const stop = async () => {
    for (const one of processes.toReversed()) await stopProcess(one);
    return main.exitCode;
  };
  return {
    address,
    host: new URL(address).host,
    dataDir,
    outboxLink,
    process: main,
    processes,
    log,
    stop,
    async remove() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly address: string;
  readonly outboxLink: string;
  readonly child: ChildProcess;
}

interface ProcessOptions {
  readonly dataDir: string;
  readonly log: string[];
  readonly env: Readonly<Record<string, string>>;
}

async function startProcess(
  folder: string,
  { dataDir, log, env }: ProcessOptions,
): Promise<Started> {
  const child = spawn(process.execPath, [join(folder, 'apps/web/server/run.ts')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, ...env },
  });
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  return { ...(await waitForAddress(child, log)), child };
}

/** Returns the server with an empty log, since earlier lines belong to other tests. */
export function withEmptyLog(server: TestServer): TestServer {
  const start = server.log.length;
  return {
    ...server,
    get log() {
      return server.log.slice(start);
    },
  };
}

/** Deleted by `npm test` before each run. */
const sharedPackages = join(root, '.cache/test/packages');

async function makeDataDir(hasOwnPackages: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-e2e-'));
  // If started by root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(folder, 0o711);
  if (!hasOwnPackages) {
    await mkdir(sharedPackages, { recursive: true });
    await symlink(sharedPackages, join(folder, 'packages'));
  }
  return folder;
}

async function waitForAddress(child: ChildProcess, log: readonly string[]) {
  if (!child.stdout) throw new Error('the server has no output');
  let outboxLink = '';
  for await (const line of createInterface({ input: child.stdout })) {
    outboxLink = /\S+\/outbox\?token=\S+/.exec(line)?.[0] ?? outboxLink;
    const address = /^Vitrine is ready at (\S+)$/.exec(line)?.[1];
    if (address) return { address, outboxLink };
  }
  throw new Error(`the server exited before it was ready:\n${log.join('\n')}`);
}
