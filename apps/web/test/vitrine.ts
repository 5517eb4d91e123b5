import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerClient } from '@supabase/ssr';
import { startInstance } from '../server/main.ts';
import { createLog } from '../server/log.ts';
import { getCookieOptions, getSessionCookie } from '../server/session.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  /** The `Host` header; the app's own by default. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A complete instance in this process, with a free port and its own database. */
export interface Vitrine {
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Link to the emails that weren't sent. */
  readonly outboxLink: string | null;
  readonly log: readonly string[];
  /** Sends a raw request, whose path, host and headers no client normalizes. */
  request(path: string, asked?: Asked): Promise<Answer>;
  /** Requests a WebSocket upgrade and resolves to the response's status, 101 on success. */
  requestSocket(path: string, asked?: Asked): Promise<number>;
  /** Creates an account and resolves to the `Cookie` header of its session. */
  signUp(name: string): Promise<{ cookie: string; accessToken: string; id: string }>;
  close(): Promise<void>;
}

/** Headers of a top-level navigation. */
export const navigation = {
  accept: 'text/html',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36',
};

export async function startVitrine(env: Readonly<Record<string, string>> = {}): Promise<Vitrine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-web-'));
  chmodSync(dataDir, 0o711);
  const log: string[] = [];
  const running = await startInstance(
    { PORT: '0', DATA_DIR: dataDir, ...env },
    createLog((line) => log.push(line)),
  );
  const { host } = new URL(running.url);
  const request = (path: string, asked: Asked = {}) => ask(running.port, path, { host, ...asked });
  return {
    origin: running.url,
    host,
    port: running.port,
    outboxLink: running.outboxLink,
    log,
    request,
    requestSocket: (path, asked = {}) => askForSocket(running.port, path, { host, ...asked }),
    signUp: (name) => signUp(running.url, request, name),
    async close() {
      await running.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function ask(
  port: number,
  path: string,
  { method = 'GET', host = '', headers = {}, body = '' }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = send(
      { host: '127.0.0.1', port, path, method, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function askForSocket(
  port: number,
  path: string,
  { host = '', headers = {} }: Asked,
): Promise<number> {
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const sent = send({ host: '127.0.0.1', port, path, headers: { host, ...upgrade, ...headers } });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function signUp(origin: string, request: Vitrine['request'], name: string) {
  const cookie = getSessionCookie(origin, navigation['user-agent']);
  const jar = new Map<string, string>();
  const page = await request('/', { headers: navigation });
  const key = /sb_publishable_[\w-]+/.exec(page.body)?.[0] ?? '';
  const client = createServerClient(origin, key, {
    cookieOptions: getCookieOptions(cookie),
    cookies: {
      getAll: () => [...jar].map(([cookieName, value]) => ({ name: cookieName, value })),
      setAll: (cookies) => {
        for (const { name: cookieName, value } of cookies) {
          if (value === '') jar.delete(cookieName);
          else jar.set(cookieName, value);
        }
      },
    },
    global: { fetch: (input, init) => viaLoopback(new Request(input, init), request) },
  });
  const { data, error } = await client.auth.signUp({
    email: `${name}@example.org`,
    password: `${name} likes long words`,
    options: { data: { username: name } },
  });
  if (error) throw error;
  return {
    cookie: [...jar].map(([cookieName, value]) => `${cookieName}=${value}`).join('; '),
    accessToken: data.session?.access_token ?? '',
    id: data.user?.id ?? '',
  };
}

/** Node doesn't resolve `*.localhost`, so the client's requests are sent to the port. */
async function viaLoopback(request: Request, ask: Vitrine['request']): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const answer = await ask(pathname + search, {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: await request.text(),
  });
  return new Response(answer.body, {
    status: answer.status,
    headers: { 'Content-Type': answer.headers['content-type'] ?? '' },
  });
}
