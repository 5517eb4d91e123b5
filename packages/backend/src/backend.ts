import { toRateLimitKey } from '@vitrine/project';
import { createBackgroundTasks } from './auth/background-tasks.ts';
import { importKeys } from './auth/keys.ts';
import { createProviders } from './auth/providers/providers.ts';
import { createAuthLimits } from './auth/auth-limits.ts';
import { createRedirects } from './auth/redirects.ts';
import { createAuthRoutes } from './auth/routes.ts';
import { deleteExpiredRows } from './auth/sessions.ts';
import type { AuthSettings } from './auth/settings.ts';
import { openFunctions } from './functions/index.ts';
import { createGateway, createKeyRoleLookup } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import type { Log } from './log.ts';
import { openMailer } from './mail/mailer.ts';
import type { MailOptions } from './mail/mailer.ts';
import type { DatabaseAddress } from './postgres/address.ts';
import { connectDatabase } from './postgres/connection-pool.ts';
import { bootstrapDatabase } from './postgres/bootstrap.ts';
import { applyMigrations } from './postgres/migrations.ts';
import { openRealtime } from './realtime/index.ts';
import type { RealtimeService } from './realtime/index.ts';
import { createRest } from './rest/index.ts';
import { deriveKey } from './secrets.ts';
import type { Secrets } from './secrets.ts';
import { openStorage } from './storage/index.ts';

export interface BackendOptions {
  /** Connection as the database owner, for bootstrap and migrations. Never serves requests. */
  database: DatabaseAddress;
  /** Path of supabase/migrations. */
  migrationsDir: string;
  /** Origin of the app: the issuer of tokens and the host of links in mails. */
  publicOrigin: string;
  /** Exact origins that mailed links may redirect to, besides publicOrigin. */
  allowedRedirects: string[];
  /** Exact origins that browsers may call from. */
  corsOrigins: string[];
  secrets: Secrets;
  /** Directory for the contents of storage objects; created when missing. */
  storageDir: string;
  mail: MailOptions;
  /** Whether a new email must be confirmed with a mailed link before it can sign in. */
  confirmEmail: boolean;
  /** The `[auth]` settings of `supabase/config.toml`, from `readAuthSettings`. */
  authSettings: AuthSettings;
  /** Whether realtime channels without a policy may be joined; hosted: "Allow public access". */
  publicChannels: boolean;
  /** Undefined disables edge functions. */
  functions?: FunctionsConfig;
  log: Log;
}

interface FunctionsConfig {
  /** The `supabase` directory, with `config.toml` and `functions`. */
  folder: string;
  /** Path of the Deno executable; undefined runs functions in Node. */
  denoPath: string | undefined;
  /** Deno's cache directory (DENO_DIR). */
  cacheDir: string;
  /** Variables for all functions, which a hosted project sets as function secrets. */
  variables?: NodeJS.Dict<string>;
  /** URL of this backend for requests from functions. */
  url: string;
}

export interface Backend {
  /**
   * Serves /auth/v1/*, /rest/v1/*, /storage/v1/*, /functions/v1/* and /realtime/v1/api/*. Never
   * throws.
   */
  readonly fetch: Gateway;
  /** Handles the `upgrade` event of Node's HTTP server for WebSockets at /realtime/v1/websocket. */
  readonly upgrade: RealtimeService['upgrade'];
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Waits for background tasks, then closes the connections. */
  close(): Promise<void>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * Bootstraps and migrates the database, then opens all services. Throws when the database cannot be
 * reached.
 */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { publicOrigin, secrets, log } = options;
  await prepareDatabase(options);
  const authSql = connectAuthDatabase(createAddress(options, 'supabase_auth_admin'));
  const keys = await importKeys(secrets, {
    publicOrigin,
    lifetimeSeconds: options.authSettings.tokenLifetimeSeconds,
  });
  const background = createBackgroundTasks(log);
  const lifetimeSeconds = options.authSettings.mailLifetimeSeconds;
  const mailer = openMailer(options.mail, { publicOrigin, lifetimeSeconds });
  const auth = createAuthRoutes({
    sql: authSql,
    keys,
    settings: options.authSettings,
    refreshKey: deriveKey(secrets, 'refresh tokens'),
    codeKey: deriveKey(secrets, 'mailed codes'),
    factorKey: deriveKey(secrets, 'second factors'),
    providers: createProviders(options.authSettings.providers, log),
    redirects: createRedirects(publicOrigin, options.allowedRedirects),
    limits: createAuthLimits(options.authSettings.limits),
    mailer,
    background,
    publicOrigin,
    confirmEmail: options.confirmEmail,
    log,
  });
  const rest = createRest({
    database: createAddress(options, 'authenticator'),
    schemas: ['public'],
    log,
  });
  const storage = await openStorage({
    database: createAddress(options, 'authenticator'),
    folder: options.storageDir,
    urlKey: deriveKey(secrets, 'storage addresses'),
    log,
  });
  const getKeyRole = createKeyRoleLookup(secrets);
  const realtime = await openRealtime({
    database: createAddress(options, 'supabase_realtime_admin'),
    keys,
    getKeyRole,
    origins: options.corsOrigins,
    hasPublicChannels: options.publicChannels,
    log,
  });
  const functions = options.functions && (await openFunctionsService(options.functions, options));
  const cleanUp = () => {
    background.run('Cleaning up sessions', () => deleteExpiredRows(authSql));
    background.run('Cleaning up files', () => storage.moveOrphans());
  };
  const cleanUpMessages = () => background.run('Cleaning up messages', () => realtime.cleanUp());
  const messageTimer = setInterval(cleanUpMessages, minuteMs);
  messageTimer.unref();
  const cleanUpTimer = setInterval(cleanUp, hourMs);
  cleanUpTimer.unref();
  cleanUp();
  const { publishableKey, secretKey } = secrets;
  return {
    fetch: createGateway({
      getKeyRole,
      keys,
      corsOrigins: options.corsOrigins,
      auth: async (request, client) => auth.fetch(request, client),
      rest,
      storage,
      realtime,
      functions,
      sendMail: (message) => mailer.send(message),
      log,
    }),
    upgrade: (request) =>
      realtime.upgrade({ ...request, clientIp: toRateLimitKey(request.clientIp) }),
    publishableKey,
    secretKey,
    async close() {
      clearInterval(cleanUpTimer);
      clearInterval(messageTimer);
      await background.waitForAll();
      await Promise.all([rest.close(), storage.close(), realtime.close(), functions?.close()]);
      mailer.close();
      await authSql.end({ timeout: 5 });
    },
  };
}

function openFunctionsService(
  { url, variables, ...config }: FunctionsConfig,
  { publicOrigin, secrets, log }: BackendOptions,
) {
  const { publishableKey, secretKey } = secrets;
  const env = {
    SUPABASE_URL: url,
    // Supabase's names: those of its legacy API keys, and those of the current ones.
    SUPABASE_ANON_KEY: publishableKey,
    SUPABASE_SERVICE_ROLE_KEY: secretKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }),
    // Custom variables, which a hosted project sets as function secrets.
    SITE_URL: publicOrigin,
    MAIL_URL: `${url}/mail/v1/messages`,
    MAIL_KEY: secretKey,
    ...variables,
  };
  const { denoPath: deno, ...rest } = config;
  return openFunctions({ ...rest, deno, env, log });
}

async function prepareDatabase({ database, migrationsDir, secrets, log }: BackendOptions) {
  const sql = connectDatabase(database, { max: 2 });
  try {
    await bootstrapDatabase(sql, secrets.databasePassword);
    const applied = await applyMigrations(sql, migrationsDir);
    if (applied.length > 0) log.info('Migrations were applied.', { count: applied.length });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function createAddress({ database, secrets }: BackendOptions, user: string): DatabaseAddress {
  return { ...database, user, password: secrets.databasePassword };
}

function connectAuthDatabase(address: DatabaseAddress) {
  return connectDatabase(address, {
    max: 10,
    // Short, so that requests succeed again as soon as a lost database is back.
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 60,
    connection: { TimeZone: 'UTC' },
  });
}
