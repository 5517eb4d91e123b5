import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import {
  deriveKey,
  findDeno,
  loadSecrets,
  openBackend,
  readAuthSettings,
  refuseUpgrade,
  type Backend,
  type Secrets,
  type UpgradeRequest,
} from '@vitrine/backend';
import { parseDatabaseUrl, startPostgres, type DatabaseAddress } from '@vitrine/backend/postgres';
import { createApp, type AppOptions } from './app.ts';
import { createAddressReader, type ReadAddress } from './client-address.ts';
import { keepDeletions } from './deletions.ts';
import { createForwarding, type BackendPart } from './forwarding.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { describeLayout, type Layout } from './layout.ts';
import { createJsonLog, joinLogs, type Log } from './log.ts';
import { openLogFile } from './log-file.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { createOutboxAccess } from './outbox.ts';
import { openPackages } from './packages.ts';
import { createPreviews } from './previews.ts';
import { createRouter, type Router } from './router.ts';
import { bareAnswer, bareHeaders } from './security-headers.ts';
import type { BackendAccess } from './session.ts';
import { parseSettings, type Environment, type Settings } from './settings.ts';
import { StartupError } from './startup-error.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A running Vitrine. */
export interface Running {
  /** What to open: `http://vitrine.localhost:4000`. */
  readonly address: string;
  /** Where it listens, also when a proxy in front has the address. */
  readonly port: number;
  /** The link to the mails that are not sent; null where a mail server sends them. */
  readonly outboxLink: string | null;
  close(): Promise<void>;
}

/**
 * Starts everything that the settings ask for: the listener first, so that a port in use is found
 * before a database is touched. Throws a `StartupError` with one sentence where it cannot.
 */
export async function start(env: Environment, toTerminal: Log): Promise<Running> {
  // Without a Host the router refuses, as for any name that is not ours.
  const server = createServer({ maxHeaderSize: 1024 * 1024, requireHostHeader: false });
  refuseUnreadable(server);
  server.on('checkExpectation', (_, response) =>
    response.setHeaders(bareHeaders(false)).writeHead(417).end(),
  );
  const port = await listen(server, parseSettings(env));
  const settings = parseSettings({ ...env, PORT: String(port) });
  const closers = [() => closeServer(server)];
  let served: Served = {
    router: { answer: async () => starting(), upgrade: refuseStarting },
    readAddress: () => '',
    outboxLink: null,
  };
  server.on(
    'request',
    getRequestListener(
      (request, { incoming }) =>
        served.router.answer(request, { address: served.readAddress(incoming) }),
      // The router never throws: what ends here is no request that could be read.
      { errorHandler: () => bareAnswer(400, 'Malformed request.') },
    ),
  );
  server.on('upgrade', (request, socket, head) =>
    served.router.upgrade({ request, socket, head, address: served.readAddress(request) }),
  );
  try {
    const log = joinLogs(toTerminal, openKeptLog(settings, closers));
    const opened = await open(settings, { env, closers, log });
    served = { ...opened, router: await watch(opened.router, settings, closers) };
  } catch (error) {
    await closeInTurn(closers);
    throw error;
  }
  const { outboxLink } = served;
  return { address: settings.publicOrigin, port, outboxLink, close: () => closeInTurn(closers) };
}

interface Served {
  readonly router: Router;
  readonly readAddress: ReadAddress;
  readonly outboxLink: string | null;
}

/** What is logged, in `DATA_DIR/logs` too. */
function openKeptLog({ dataDir }: Settings, closers: (() => Promise<void>)[]): Log {
  const file = openLogFile(`${dataDir}/logs`);
  closers.push(async () => file.close());
  return createJsonLog((line) => file.write(line));
}

async function watch(
  router: Router,
  { metricsPort }: Settings,
  closers: (() => Promise<void>)[],
): Promise<Router> {
  if (metricsPort === null) return router;
  const metrics = createMetrics();
  const server = await serveMetrics(metrics, metricsPort);
  closers.push(() => closeServer(server));
  return metrics.watch(router);
}

async function open(
  settings: Settings,
  { env, closers, log }: { env: Environment; closers: (() => Promise<void>)[]; log: Log },
): Promise<Served> {
  const layout = describeLayout(settings);
  const hosts = createHosts(settings, layout);
  const secrets = await loadSecrets(settings.dataDir);
  const processToken = deriveToken(secrets, 'processes');
  const folder = `${settings.dataDir}/outbox`;
  const { publicOrigin } = settings;
  const part = await openBackendPart(
    { settings, layout, hosts, secrets, processToken, outboxDir: folder, env },
    closers,
    log,
  );
  const backend = accessTo(settings, part, secrets.publishableKey);
  const { appOrigins } = hosts;
  const packages = await openPackages({ settings, appOrigins, root, env, log });
  closers.push(() => packages.close());
  packages.warmUp();
  const secret = deriveKey(secrets, 'previews');
  const previews = createPreviews({ hosts, secret, backend, packages });
  closers.push(() => previews.close());
  const outbox = layout.keepsMail
    ? createOutboxAccess({ token: deriveToken(secrets, 'outbox'), folder, publicOrigin })
    : null;
  const app = createApp({
    build: await loadBuild(),
    clientDir: `${root}/apps/web/build/client`,
    backend,
    hostedUrl: settings.hosted?.url ?? null,
    frameSources: hosts.frameSources,
    previewHost: settings.previewHost,
    confirmEmail: settings.confirmEmail,
    outbox,
    mintEntry: previews.mintEntry,
    packages,
  });
  return {
    router: createRouter({ hosts, app, previews, packages, backend: part, log }),
    readAddress: createAddressReader({
      trustedProxies: layout.trustedProxies,
      publicOrigin,
      processToken,
      advise: (sentence) => log.warn(sentence),
    }),
    outboxLink: outbox?.link ?? null,
  };
}

/** 256 bits for one purpose, the same in all processes of the instance. */
function deriveToken(secrets: Secrets, purpose: string): string {
  return Buffer.from(deriveKey(secrets, purpose)).toString('base64url');
}

function refuseStarting({ socket }: UpgradeRequest): void {
  refuseUpgrade(socket, 503, 'Vitrine is starting.');
}

function starting(): Response {
  const answer = bareAnswer(503, 'Vitrine is starting.');
  answer.headers.set('Retry-After', '1');
  return answer;
}

/** Answers what Node's parser refused, which no listener sees; Node's own answer has no headers. */
function refuseUnreadable(server: Server): void {
  /** Connections on which an answer to an earlier request is being written. */
  const answering = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    answering.add(socket);
    response.on('close', () => answering.delete(socket));
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable || answering.has(socket)) return void socket.destroy();
    const statuses: Record<string, number> = {
      HPE_HEADER_OVERFLOW: 431,
      ERR_HTTP_REQUEST_TIMEOUT: 408,
    };
    const status = statuses[error.code ?? ''] ?? 400;
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close'];
    for (const [name, value] of bareHeaders(false)) lines.push(`${name}: ${value}`);
    socket.end(`${lines.join('\r\n')}\r\ncontent-length: 0\r\n\r\n`);
  });
}

interface EmbeddedOptions {
  settings: Settings;
  layout: Layout;
  hosts: Hosts;
  secrets: Secrets;
  processToken: string;
  outboxDir: string;
  env: Environment;
}

/** The backend in this process or behind another; null where a hosted one has its own address. */
async function openBackendPart(
  options: EmbeddedOptions,
  closers: (() => Promise<void>)[],
  log: Log,
): Promise<BackendPart | null> {
  const { settings, processToken } = options;
  const { backendUrl, hosted, publicOrigin } = settings;
  if (hosted) return null;
  if (backendUrl) return createForwarding({ url: backendUrl, publicOrigin, processToken, log });
  return openEmbedded(options, closers, log);
}

async function openEmbedded(
  { settings, layout, hosts, secrets, outboxDir, env }: EmbeddedOptions,
  closers: (() => Promise<void>)[],
  log: Log,
): Promise<Backend> {
  const database = await openDatabase(settings, closers, log);
  const backend = await openBackend({
    database,
    migrationsDir: `${root}/supabase/migrations`,
    publicOrigin: settings.publicOrigin,
    allowedRedirects: [...hosts.appOrigins],
    corsOrigins: [...hosts.appOrigins],
    secrets,
    storageDir: `${settings.dataDir}/storage`,
    mail: settings.mail ?? { outboxDir },
    confirmEmail: settings.confirmEmail,
    authSettings: await readAuthSettings(
      settings.authConfig ?? `${root}/supabase/config.toml`,
      env,
    ),
    publicChannels: false,
    functions: {
      folder: `${root}/supabase`,
      deno: findDeno(root),
      cacheDir: `${settings.dataDir}/functions`,
      url: layout.functionsUrl,
    },
    log,
  });
  closers.push(() => backend.close());
  const endDeletions = keepDeletions(backend, log);
  closers.push(async () => endDeletions());
  return backend;
}

async function openDatabase(
  settings: Settings,
  closers: (() => Promise<void>)[],
  log: Log,
): Promise<DatabaseAddress> {
  if (settings.databaseUrl) return parseDatabaseUrl(settings.databaseUrl);
  const postgres = await startPostgres({ dataDir: settings.dataDir, log });
  closers.push(() => postgres.close());
  return postgres.database;
}

function accessTo(
  settings: Settings,
  part: BackendPart | null,
  publishableKey: string,
): BackendAccess {
  if (settings.hosted) return { ...settings.hosted, fetchFrom: undefined };
  if (!part) throw new Error('no backend is open');
  return {
    url: settings.publicOrigin,
    publishableKey,
    fetchFrom: (address) => (input, init) => part.fetch(new Request(input, init), { address }),
  };
}

async function loadBuild(): Promise<AppOptions['build']> {
  const file = pathToFileURL(`${root}/apps/web/build/server/index.js`).href;
  const build: AppOptions['build'] = await import(file);
  return build;
}

async function listen(server: Server, settings: Settings): Promise<number> {
  const { port, listen: host, sharesPort } = settings;
  server.listen({ port, host, reusePort: sharesPort });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw explainListenError(error, settings);
  }
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the listener has no port');
  return address.port;
}

function explainListenError(error: unknown, settings: Settings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${settings.port} is already in use. Stop the other program, or choose another port: PORT=${settings.port + 1} npm start`,
    EACCES: `No permission to listen on port ${settings.port}. Set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${settings.listen}. Set LISTEN to one of its addresses.`,
    ENOTFOUND: `LISTEN is not a valid address: “${settings.listen}”.`,
  };
  const sentence = sentences[String(error.code)];
  return sentence ? new StartupError(sentence, { cause: error }) : error;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Last opened, first closed. */
async function closeInTurn(closers: (() => Promise<void>)[]): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
}
