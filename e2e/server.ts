import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { layOut, stopProcess } from './processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A real server in a process of its own, on a free port, with its data in a temporary folder. */
export interface TestServer {
  readonly address: string;
  readonly host: string;
  readonly dataDir: string;
  /** The link that lets a browser read the outbox, as the startup output has it. */
  readonly outboxLink: string;
  /** The one with the database, where there are several. */
  readonly process: ChildProcess;
  /** Everything the process wrote to its log, for assertions about what must not be there. */
  readonly log: readonly string[];
  /** Ends the processes as Ctrl-C does and waits for it; gives its exit code. */
  stop(): Promise<number | null>;
  /** `stop`, and the data goes too. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Data of an earlier server, to start again on it. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of another build of this project. */
  readonly root?: string;
  /** Begins without packages; else it has those that other servers of the run have built. */
  readonly hasOwnPackages?: boolean;
}

/** Starts the server and waits until it says that it is ready; throws with its log when it does not. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await makeDataDir(options.hasOwnPackages ?? false));
  const log: string[] = [];
  const startOne = (env: Readonly<Record<string, string>>) =>
    startProcess(options.root ?? root, { dataDir, log, env });
  const { address, outboxLink, processes } = await layOut(options, dataDir, startOne);
  const [main] = processes;
  if (!main) throw new Error('nothing was started');
  // The one with the database ends last.
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

/** The same server, whose log begins now: what is in it already belongs to others. */
export function fromNow(server: TestServer): TestServer {
  const start = server.log.length;
  return {
    ...server,
    get log() {
      return server.log.slice(start);
    },
  };
}

/** Begun anew by `npm test`. */
const sharedPackages = join(root, '.cache/test/packages');

async function makeDataDir(hasOwnPackages: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-e2e-'));
  // Started by root, PostgreSQL runs as another user, who must be able to pass through.
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
  throw new Error(`the server ended without being ready:\n${log.join('\n')}`);
}
