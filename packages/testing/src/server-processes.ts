/**
 * The processes of a test server. `PROCESSES=apart`: the app in one process and the backend in
 * another; `PROCESSES=beside`: two apps on one port in front of one backend. `npm run endure --
 * apart beside` runs the whole suite that way.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

interface Layout {
  readonly address: string;
  readonly outboxLink: string;
  /** The process with the database comes first. */
  readonly processes: readonly ChildProcess[];
}

type Start = (
  env: Readonly<Record<string, string>>,
) => Promise<{ address: string; outboxLink: string; child: ChildProcess }>;

/** App processes whose backend was killed, by data folder. The next start there restarts them. */
const running = new Map<string, readonly ChildProcess[]>();

export async function startProcesses(
  { port, env }: { port?: number; env?: Readonly<Record<string, string>> },
  dataDir: string,
  start: Start,
): Promise<Layout> {
  const apps = { apart: 1, beside: 2 }[process.env['PROCESSES'] ?? ''];
  if (apps === undefined) {
    const { child, ...started } = await start({ PORT: String(port ?? 0), ...env });
    return { ...started, processes: [child] };
  }
  await Promise.all((running.get(dataDir) ?? []).map(stopProcess));
  const appPort = port ?? (await findFreePort());
  const backendPort = await findFreePort();
  const publicOrigin = `http://vitrine.localhost:${appPort}`;
  const place = {
    PUBLIC_ORIGIN: publicOrigin,
    PREVIEW_HOST: `vitrine-preview.localhost:${appPort}`,
    ...env,
  };
  const backend = await start({ ...place, PORT: String(backendPort) });
  const started = await Promise.all(
    Array.from({ length: apps }, () =>
      start({
        ...place,
        PORT: String(appPort),
        SHARE_PORT: 'true',
        BACKEND_URL: `http://127.0.0.1:${backendPort}`,
      }),
    ),
  );
  const processes = [backend, ...started].map(({ child }) => child);
  running.set(dataDir, processes);
  return { address: publicOrigin, outboxLink: backend.outboxLink, processes };
}

/** Finds a port that is free now. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

/** Stops a process like Ctrl-C and resolves to its exit code. */
export async function stopProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    await exited;
  }
  return child.exitCode;
}
