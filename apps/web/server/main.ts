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
  rejectUpgrade,
  StartupError,
  type Backend,
  type Secrets,
  type UpgradeRequest,
  type Log,
} from '@vitrine/backend';
import { parseDatabaseUrl, startPostgres, type DatabaseAddress } from '@vitrine/backend/postgres';
import { createApp, type AppOptions } from './app.ts';
import {
  createClientAddressReader,
  createProxyMatcher,
  type ClientAddressReader,
} from './client-address.ts';
import { scheduleAccountDeletions } from './account-deletions.ts';
import { deleteOldPosters, deleteUnreferencedAssets } from './asset-collection.ts';
import { purgeTrash, requestAsService, scheduleHourly } from './hourly-jobs.ts';
import { createBackendProxy, type BackendHandler } from './backend-proxy.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { getDeploymentConfig, type DeploymentConfig } from './deployment-config.ts';
import { createJsonLog, combineLogs } from './log.ts';
import { openLogFile } from './log-file.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { createMailOutboxAccess } from './mail-outbox.ts';
import { openPackageService } from './package-service.ts';
import type { PreviewServer } from '@vitrine/sandbox/server';
import { createProjectPreviewServer } from './previews.ts';
import {
  createRequestGuard,
  defaultGuardLimits,
  MeteredMessage,
  type RequestGuard,
} from './request-guard.ts';
import { createRouteFinder, listRouteLimits } from './route-limits.ts';
import { createRouter, type Router } from './router.ts';
import { createTextResponse, createBaseHeaders } from './security-headers.ts';
import type { BackendAccess } from './session.ts';
import { parseSettings, type Environment, type Settings } from './settings.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A running instance of Vitrine. */
interface RunningInstance {
  /** The URL to open: `http://vitrine.localhost:4000`. */
  readonly url: string;
  /** The port of the listener, which differs from the URL's behind a proxy. */
  readonly port: number;
  /** Link to the emails that weren't sent; null if a mail server is configured. */
  readonly outboxLink: string | null;
  /** Resolves to the reason when the instance can't go on, because its database keeps ending. */
  readonly failed: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts an instance: the listener first, so that a port in use is detected before the database is
 * touched. Throws a `StartupError` for an expected problem.
 */
export async function startInstance(env: Environment, terminalLog: Log): Promise<RunningInstance> {
  // The router rejects requests without a Host, like unknown hosts.
  const server = createServer({
    maxHeaderSize: 1024 * 1024,
    requireHostHeader: false,
    IncomingMessage: MeteredMessage,
  });
  respondToInvalidRequests(server);
  server.on('checkExpectation', (_, response) =>
    response.setHeaders(createBaseHeaders(false)).writeHead(417).end(),
  );
  const port = await listen(server, parseSettings(env));
  const settings = parseSettings({ ...env, PORT: String(port) });
  const closers = [() => closeServer(server)];
  const failed = Promise.withResolvers<string>();
  let services: Services = {
    guard: { handle: async () => respondStarting(), upgrade: refuseStarting },
    readAddress: () => '',
    outboxLink: null,
  };
  server.on(
    'request',
    getRequestListener(
      (request, bindings) =>
        services.guard.handle(request, {
          bindings,
          address: services.readAddress(bindings.incoming),
        }),
      // The router never throws, so an error here comes from an invalid request.
      { errorHandler: () => createTextResponse(400, 'Malformed request.') },
    ),
  );
  server.on('upgrade', (request, socket, head) =>
    services.guard.upgrade({ request, socket, head, clientIp: services.readAddress(request) }),
  );
  try {
    const log = combineLogs(terminalLog, openFileLog(settings, closers));
    if (env['RESTARTED_AFTER'] !== undefined)
      log.error('The server had ended unexpectedly.', { reason: env['RESTARTED_AFTER'] });
    const opened = await openServices(settings, {
      server,
      env,
      closers,
      log,
      onFailure: failed.resolve,
    });
    services = { ...opened, guard: await addMetrics(opened.guard, settings, closers) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
  const { outboxLink } = services;
  return {
    url: settings.publicOrigin,
    port,
    outboxLink,
    failed: failed.promise,
    close: () => closeAll(closers),
  };
}

interface Opening {
  readonly server: Server<typeof MeteredMessage>;
  readonly env: Environment;
  readonly closers: (() => Promise<void>)[];
  readonly log: Log;
  /** Called with the reason when the database can't be kept running. */
  onFailure(reason: string): void;
}

interface Services {
  readonly guard: RequestGuard;
  readonly readAddress: ClientAddressReader;
  readonly outboxLink: string | null;
}

/** Opens the log in `DATA_DIR/logs`. */
function openFileLog({ dataDir }: Settings, closers: (() => Promise<void>)[]): Log {
  const file = openLogFile(`${dataDir}/logs`);
  closers.push(async () => file.close());
  return createJsonLog((line) => file.write(line));
}

/** Counts the requests and serves the metrics, if METRICS_PORT is set. */
async function addMetrics(
  guard: RequestGuard,
  { metricsPort }: Settings,
  closers: (() => Promise<void>)[],
): Promise<RequestGuard> {
  if (metricsPort === null) return guard;
  const metrics = createMetrics();
  const server = await serveMetrics(metrics, metricsPort);
  closers.push(() => closeServer(server));
  return metrics.instrument(guard);
}

async function openServices(settings: Settings, opening: Opening): Promise<Services> {
  const { server, env, closers, log } = opening;
  const layout = getDeploymentConfig(settings);
  const hosts = createHosts(settings, layout);
  const secrets = await loadSecrets(settings.dataDir);
  const processToken = deriveToken(secrets, 'processes');
  const folder = `${settings.dataDir}/outbox`;
  const { publicOrigin } = settings;
  const backendHandler = await openBackendHandler(
    { settings, layout, hosts, secrets, processToken, outboxDir: folder },
    opening,
  );
  const backend = getBackendAccess(settings, backendHandler, secrets.publishableKey);
  const { appOrigins } = hosts;
  const packages = await openPackageService({ settings, appOrigins, root, env, log });
  closers.push(() => packages.close());
  packages.warmUp();
  const secret = deriveKey(secrets, 'previews');
  const previews = createProjectPreviewServer({ hosts, secret, backend, packages, log });
  closers.push(() => previews.close());
  const outbox = layout.hasMailOutbox
    ? createMailOutboxAccess({ token: deriveToken(secrets, 'outbox'), folder, publicOrigin })
    : null;
  const build = await loadBuild();
  const app = createApp({
    build,
    clientDir: `${root}/apps/web/build/client`,
    backend,
    hostedUrl: settings.hosted?.url ?? null,
    frameSources: hosts.frameSources,
    previewHost: settings.previewHost,
    confirmEmail: settings.confirmEmail,
    invitationLinkVerifies: settings.invitationLinkVerifies,
    outbox,
    mintEntry: previews.mintAccessUrl,
    packages,
  });
  const guard = createRequestGuard({
    server,
    router: prewarmForPages(
      createRouter({ hosts, app, previews, packages, backend: backendHandler, log }),
      previews,
    ),
    hosts,
    findRoute: createRouteFinder(listRouteLimits(build.routes)),
    limits: { ...defaultGuardLimits, connectionsPerClient: settings.connectionsPerAddress },
    isProxy: createProxyMatcher(layout.trustedProxies),
  });
  closers.push(async () => guard.close());
  return {
    guard,
    readAddress: createClientAddressReader({
      trustedProxies: layout.trustedProxies,
      publicOrigin,
      processToken,
      warn: (message) => log.warn(message),
    }),
    outboxLink: outbox?.link ?? null,
  };
}

/** Starts a compile process with the first page, so that its preview needn't wait for that. */
function prewarmForPages(router: Router, previews: PreviewServer): Router {
  return {
    ...router,
    handle(request, client) {
      if (request.headers.get('Sec-Fetch-Dest') === 'document') previews.prewarm();
      return router.handle(request, client);
    },
  };
}

/** Derives 256 bits for one purpose, the same in all processes of the instance. */
function deriveToken(secrets: Secrets, purpose: string): string {
  return Buffer.from(deriveKey(secrets, purpose)).toString('base64url');
}

function refuseStarting({ socket }: UpgradeRequest): void {
  rejectUpgrade(socket, 503, 'Vitrine is starting.');
}

function respondStarting(): Response {
  const response = createTextResponse(503, 'Vitrine is starting.');
  response.headers.set('Retry-After', '1');
  return response;
}

/**
 * Responds to requests that Node's parser rejects, which reach no request listener. Node's own
 * response would lack the security headers.
 */
function respondToInvalidRequests(server: Server): void {
  /** Connections with a response to an earlier request in progress. */
  const responding = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    responding.add(socket);
    response.on('close', () => responding.delete(socket));
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable || responding.has(socket)) return void socket.destroy();
    const statuses: Record<string, number> = {
      HPE_HEADER_OVERFLOW: 431,
      ERR_HTTP_REQUEST_TIMEOUT: 408,
    };
    const status = statuses[error.code ?? ''] ?? 400;
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close'];
    for (const [name, value] of createBaseHeaders(false)) lines.push(`${name}: ${value}`);
    socket.end(`${lines.join('\r\n')}\r\ncontent-length: 0\r\n\r\n`);
  });
}

interface BackendOptions {
  settings: Settings;
  layout: DeploymentConfig;
  hosts: Hosts;
  secrets: Secrets;
  processToken: string;
  outboxDir: string;
}

/** Opens the backend in this process or a proxy to another; null for a hosted backend. */
async function openBackendHandler(
  options: BackendOptions,
  opening: Opening,
): Promise<BackendHandler | null> {
  const { settings, processToken } = options;
  const { backendUrl, hosted, publicOrigin } = settings;
  if (hosted) return null;
  if (backendUrl)
    return createBackendProxy({ url: backendUrl, publicOrigin, processToken, log: opening.log });
  return openEmbeddedBackend(options, opening);
}

async function openEmbeddedBackend(
  { settings, layout, hosts, secrets, outboxDir }: BackendOptions,
  opening: Opening,
): Promise<Backend> {
  const { env, closers, log } = opening;
  const database = await openDatabase(settings, opening);
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
      denoPath: findDeno(root),
      cacheDir: `${settings.dataDir}/functions`,
      variables: settings.imports,
      url: layout.functionsUrl,
    },
    log,
  });
  closers.push(() => backend.close());
  await storeInstanceSettings(backend, settings);
  const stopDeletions = scheduleAccountDeletions(backend, log);
  closers.push(async () => stopDeletions());
  const stopCollection = scheduleHourly(
    async () => void (await deleteUnreferencedAssets(backend)),
    { firstRunMs: 45_000, failure: 'Couldn’t delete assets that nothing uses.' },
    log,
  );
  closers.push(async () => stopCollection());
  const stopPosters = scheduleHourly(
    async () => void (await deleteOldPosters(backend)),
    { firstRunMs: 60_000, failure: 'Couldn’t delete old posters.' },
    log,
  );
  closers.push(async () => stopPosters());
  const stopPurges = scheduleHourly(
    async () => void (await purgeTrash(backend)),
    { firstRunMs: 30_000, failure: 'Couldn’t delete old projects in the trash.' },
    log,
  );
  closers.push(async () => stopPurges());
  return backend;
}

/** Stores the settings that functions of the database depend on. */
async function storeInstanceSettings(
  backend: Backend,
  { invitationLinkVerifies }: Settings,
): Promise<void> {
  const response = await requestAsService(backend, '/rest/v1/rpc/set_instance_setting', {
    method: 'POST',
    body: { name: 'invitation_link_verifies', value: invitationLinkVerifies },
  });
  if (!response.ok) throw new Error(`set_instance_setting failed with status ${response.status}`);
}

async function openDatabase(
  settings: Settings,
  { closers, log, onFailure }: Opening,
): Promise<DatabaseAddress> {
  if (settings.databaseUrl) return parseDatabaseUrl(settings.databaseUrl);
  const postgres = await startPostgres({ dataDir: settings.dataDir, log, onFailure });
  closers.push(() => postgres.close());
  return postgres.database;
}

function getBackendAccess(
  settings: Settings,
  handler: BackendHandler | null,
  publishableKey: string,
): BackendAccess {
  if (settings.hosted) return { ...settings.hosted, fetchFrom: undefined };
  if (!handler) throw new Error('no backend is open');
  return {
    url: settings.publicOrigin,
    publishableKey,
    fetchFrom: (address) => (input, init) => handler.fetch(new Request(input, init), { address }),
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
  const messages: Record<string, string> = {
    EADDRINUSE: `Port ${settings.port} is already in use. Stop the other program, or choose another port: PORT=${settings.port + 1} npm start`,
    EACCES: `No permission to listen on port ${settings.port}. Set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${settings.listen}. Set LISTEN to one of its addresses.`,
    ENOTFOUND: `LISTEN isn’t a valid address: “${settings.listen}”.`,
  };
  const message = messages[String(error.code)];
  return message ? new StartupError(message, { cause: error }) : error;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Closes in reverse order of opening. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
}
