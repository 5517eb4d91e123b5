import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { vi } from 'vitest';
import { createSecrets, defaultAuthSettings, listOutboxMails, openBackend } from '@vitrine/backend';
import type { AuthSettings, Backend, BackendOptions, OutboxMail, Secrets } from '@vitrine/backend';
import { migrationsDir, openTestDatabase, rolePassword, silentLog } from './database.ts';
import type { TestDatabase } from './database.ts';

export const appOrigin = 'https://app.test';

/**
 * Settings with all features enabled, single confirmation of an email change, and enough mails for
 * a test file.
 */
export const testAuthSettings: AuthSettings = {
  ...defaultAuthSettings,
  isAnonymousSignInEnabled: true,
  isManualLinkingEnabled: true,
  doubleConfirmChanges: false,
  isTotpEnrollEnabled: true,
  isTotpVerifyEnabled: true,
  limits: { ...defaultAuthSettings.limits, mails: 1_000 },
};

export interface TestBackend {
  readonly backend: Backend;
  readonly database: TestDatabase;
  readonly secrets: Secrets;
  readonly storageDir: string;
  /** Opens a browser: supabase-js with PKCE, storage in memory, and an IP address of its own. */
  readonly openBrowser: (o?: { address?: string; storage?: Map<string, string> }) => Browser;
  /** Waits for and returns the newest mail to this address. */
  readonly readMail: (to: string, o?: { after?: OutboxMail }) => Promise<OutboxMail>;
  countMails(to: string): Promise<number>;
  close(): Promise<void>;
}

export interface Browser {
  readonly client: SupabaseClient;
  readonly storage: Map<string, string>;
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
}

/**
 * Opens a backend that writes mails to a directory: on its own database, or as a second process
 * beside `other`, with the same database and secrets but fresh rate limits.
 */
export async function openTestBackend(
  o: Partial<BackendOptions> = {},
  other?: TestBackend,
): Promise<TestBackend> {
  const database = other?.database ?? (await openTestDatabase());
  const outboxDir = await mkdtemp(join(tmpdir(), 'vitrine-outbox-'));
  const storageDir = other?.storageDir ?? (await mkdtemp(join(tmpdir(), 'vitrine-storage-')));
  const secrets = other?.secrets ?? {
    ...(await createSecrets()),
    databasePassword: rolePassword,
  };
  const backend = await openBackend({
    database: database.address,
    migrationsDir,
    publicOrigin: appOrigin,
    allowedRedirects: ['http://localhost:4000'],
    corsOrigins: [appOrigin],
    secrets,
    storageDir,
    mail: { outboxDir },
    confirmEmail: true,
    authSettings: testAuthSettings,
    publicChannels: false,
    log: silentLog,
    ...o,
  });
  const mailsTo = async (to: string) =>
    (await listOutboxMails(outboxDir)).filter((mail) => mail.to === to);
  return {
    backend,
    database,
    secrets,
    storageDir,
    openBrowser: (options) => openBrowser(backend, options),
    countMails: async (to) => (await mailsTo(to)).length,
    async readMail(to, { after } = {}) {
      const mail = await vi.waitUntil(async () => findNew(await mailsTo(to), after), {
        timeout: 5000,
        interval: 10,
      });
      return mail;
    },
    async close() {
      await backend.close();
      if (other === undefined) {
        await database.close();
        await rm(storageDir, { recursive: true });
      }
      await rm(outboxDir, { recursive: true });
    },
  };
}

function findNew(mails: OutboxMail[], after: OutboxMail | undefined): OutboxMail | undefined {
  return mails[0]?.id === after?.id ? undefined : mails[0];
}

let addresses = 0;

function openBrowser(
  backend: Backend,
  {
    address = `198.51.100.${(addresses += 1) % 250}`,
    storage = new Map<string, string>(),
  }: { address?: string; storage?: Map<string, string> } = {},
): Browser {
  const send = (input: RequestInfo | URL, init?: RequestInit) =>
    backend.fetch(new Request(input, init), { address });
  return {
    storage,
    client: createClient(appOrigin, backend.publishableKey, {
      auth: {
        flowType: 'pkce',
        autoRefreshToken: false,
        persistSession: true,
        detectSessionInUrl: false,
        storageKey: 'session',
        storage: {
          getItem: (key) => storage.get(key) ?? null,
          setItem: (key, value) => void storage.set(key, value),
          removeItem: (key) => void storage.delete(key),
        },
      },
      global: { fetch: send },
    }),
    request: (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('apikey', backend.publishableKey);
      headers.set('content-type', 'application/json');
      return send(new URL(path, appOrigin), { ...init, headers });
    },
  };
}

/** Uploads an asset as the page does, saves it in a new private project, and returns its object's name. */
export async function saveAsset(client: SupabaseClient, text: string): Promise<string> {
  const { data: user } = await client.auth.getUser();
  const hash = createHash('sha256').update(text).digest('hex');
  const name = `${user.user?.id ?? ''}/${hash}`;
  const contentType = 'application/octet-stream';
  const added = await client.storage.from('assets').upload(name, text, { contentType });
  if (added.error) throw added.error;
  const { error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Pictures',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'a.png', hash, size: text.length, media_type: 'image/png' }],
    state: 'AAA=',
    state_sha256: createHash('sha256').update(Buffer.alloc(2)).digest('hex'),
  });
  if (error) throw new Error(error.message);
  return name;
}

/** Follows the link of a mail like a browser, and returns the redirect. */
export async function followMail(backend: Backend, mail: OutboxMail): Promise<URL> {
  const link = /https?:\S+/.exec(mail.text)?.[0];
  if (link === undefined) throw new Error(`No link in the mail "${mail.subject}".`);
  const answer = await backend.fetch(new Request(link, { redirect: 'manual' }));
  return new URL(answer.headers.get('location') ?? 'about:blank');
}

/** Serves the backend on a real server, on its own port. */
export async function serveBackend(
  backend: Backend,
): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer(
    getRequestListener((request, { incoming }) =>
      backend.fetch(request, {
        address: ('socket' in incoming && incoming.socket?.remoteAddress) || '',
      }),
    ),
  );
  server.on('upgrade', (request, socket, head) =>
    backend.upgrade({ request, socket, head, clientIp: request.socket.remoteAddress ?? '' }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Creates a confirmed account and signs in. */
export async function signUpConfirmed(
  { backend, openBrowser: open, readMail }: TestBackend,
  email: string,
  password = 'correct horse battery',
  browser = open(),
): Promise<Browser> {
  const { error } = await browser.client.auth.signUp({
    email,
    password,
    options: { data: { username: email.replace(/@.*/, '') } },
  });
  if (error) throw error;
  const target = await followMail(backend, await readMail(email));
  const exchanged = await browser.client.auth.exchangeCodeForSession(
    target.searchParams.get('code') ?? '',
  );
  if (exchanged.error) throw exchanged.error;
  return browser;
}

/**
 * Moves the authentications of the account's sessions back by minutes, as if the user had waited.
 */
export async function ageSessions(
  { database }: TestBackend,
  email: string,
  minutes = 11,
): Promise<void> {
  await database.sql`
    update auth.mfa_amr_claims set updated_at = updated_at - make_interval(mins => ${minutes})
    where session_id in (
      select s.id from auth.sessions s join auth.users u on u.id = s.user_id
      where u.email = ${email})`;
}

/** Reads the code in a mail. */
export function readMailCode(mail: OutboxMail): string {
  const code = /code: (\d+)$/im.exec(mail.text)?.[1];
  if (code === undefined) throw new Error(`No code in the mail "${mail.subject}".`);
  return code;
}
