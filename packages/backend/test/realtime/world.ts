import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createClient } from '@supabase/supabase-js';
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import { importKeys } from '../../src/auth/keys.ts';
import { appOrigin, serveBackend, openTestBackend } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';
import type { Log } from '../../src/log.ts';

export interface RealtimeUser {
  readonly id: string;
  readonly token: string;
}

export interface RealtimeWorld {
  readonly test: TestBackend;
  readonly origin: string;
  /** Creates a user, with a token that expires in this many seconds. */
  createUser(lifetimeSeconds?: number, id?: string): Promise<RealtimeUser>;
  /** Grants access to the channels `project:PROJECT`: read, and write unless disabled. */
  grantAccess(person: RealtimeUser, project: string, o?: { mayWrite?: boolean }): Promise<void>;
  revokeAccess(person: RealtimeUser, project: string): Promise<void>;
  /**
   * Creates an official client; without a user, a visitor's. `token` is called whenever it needs
   * one.
   */
  connect(
    person?: RealtimeUser,
    o?: { vsn?: string; token?: () => string; key?: string },
  ): SupabaseClient;
  /** Opens a raw socket. */
  openSocket(o?: SocketOptions): Promise<RawSocket>;
  address(query?: Record<string, string>): string;
  post(path: string, body: unknown, person?: RealtimeUser): Promise<Response>;
  /** Opens another server with the same database; close it first. */
  openSecondServer(): Promise<RealtimeWorld>;
  close(): Promise<void>;
}

interface SocketOptions {
  vsn?: string;
  headers?: Record<string, string>;
}

export type Frame = [string | null, string | null, string, string, Record<string, unknown>];

export interface RawSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  send(frame: unknown): void;
  /** Waits for the first matching frame. */
  waitForFrame(isIt: (frame: Frame) => boolean, timeoutMs?: number): Promise<Frame>;
  /** Joins `realtime:NAME` and returns the reply. */
  join(name: string, token?: string, config?: object): Promise<Record<string, unknown>>;
  /** Waits for the close code. */
  waitForClose(timeoutMs?: number): Promise<number>;
}

/**
 * Opens a backend on a real server, with the private channels `project:ID` for the members in
 * `members`, and the published table `notes`, visible to its owner and readers.
 */
export async function openRealtimeWorld(
  o: { publicChannels?: boolean; log?: Log } = {},
): Promise<RealtimeWorld> {
  const test = await openTestBackend(o);
  await test.database.sql.unsafe(`
    create table public.members (project text, person uuid, may_write boolean, primary key (project, person));
    grant select on public.members to anon, authenticated;
    create policy read on realtime.messages for select to authenticated using (exists (
      select from public.members m
      where m.person = auth.uid() and 'project:' || m.project = realtime.topic()));
    create policy write on realtime.messages for insert to authenticated with check (exists (
      select from public.members m
      where m.person = auth.uid() and 'project:' || m.project = realtime.topic() and m.may_write));
    create table public.notes (
      id int primary key, owner uuid, body text, secret text, size int8, made_at timestamptz default now()
    );
    alter table public.notes enable row level security;
    revoke all on public.notes from anon, authenticated;
    grant select (id, owner, body, size, made_at) on public.notes to authenticated;
    create policy own on public.notes for select to authenticated using (owner = auth.uid());
    alter publication supabase_realtime add table public.notes;
  `);
  return serveWorld(test);
}

/** Adds helpers to one backend of the shared database. */
async function serveWorld(test: TestBackend): Promise<RealtimeWorld> {
  const { backend, secrets, database } = test;
  const keys = await importKeys(secrets, { publicOrigin: appOrigin, lifetimeSeconds: 3600 });
  const server = await serveBackend(backend);
  const clients: SupabaseClient[] = [];
  const sockets: WebSocket[] = [];

  const address = (query: Record<string, string> = {}) =>
    `${server.origin.replace('http', 'ws')}/realtime/v1/websocket?${new URLSearchParams({
      apikey: backend.publishableKey,
      vsn: '2.0.0',
      ...query,
    }).toString()}`;

  return {
    test,
    origin: server.origin,
    address,
    async createUser(lifetimeSeconds = 3_600, id = randomUUID()) {
      const issuedAt = Math.floor(Date.now() / 1_000) + lifetimeSeconds - keys.lifetimeSeconds;
      const claims = { sub: id, session_id: randomUUID(), role: 'authenticated' };
      return { id, token: await keys.sign(claims, issuedAt) };
    },
    async grantAccess({ id }, project, { mayWrite = true } = {}) {
      await database.sql`
        insert into public.members values (${project}, ${id}, ${mayWrite})
        on conflict (project, person) do update set may_write = excluded.may_write`;
    },
    async revokeAccess({ id }, project) {
      await database.sql`delete from public.members where project = ${project} and person = ${id}`;
    },
    connect(person, { vsn = '2.0.0', token, key = backend.publishableKey } = {}) {
      const client = createClient(server.origin, key, {
        ...(person || token
          ? { accessToken: async () => token?.() ?? person?.token ?? null }
          : { auth: { persistSession: false, autoRefreshToken: false } }),
        realtime: { vsn },
      });
      clients.push(client);
      return client;
    },
    async openSocket({ vsn = '2.0.0', headers = {} } = {}) {
      const socket = new WebSocket(address({ vsn }), { headers });
      sockets.push(socket);
      await once(socket, 'open');
      return wrap(socket);
    },
    post: (path, body, person) =>
      fetch(`${server.origin}/realtime/v1/api/broadcast${path}`, {
        method: 'POST',
        headers: {
          apikey: backend.publishableKey,
          'content-type': 'application/json',
          ...(person ? { authorization: `Bearer ${person.token}` } : {}),
        },
        body: JSON.stringify(body),
      }),
    openSecondServer: async () => serveWorld(await openTestBackend({}, test)),
    async close() {
      for (const client of clients) await client.realtime.disconnect();
      for (const socket of sockets) socket.terminate();
      await server.close();
      await test.close();
    },
  };
}

let lastRef = 0;

function wrap(socket: WebSocket): RawSocket {
  const frames: Frame[] = [];
  let code: number | undefined;
  socket.on('message', (data, isBinary) => {
    const text = (data as Buffer).toString();
    // For messages only the text counts here: whether they arrived.
    frames.push(isBinary ? [null, null, '', 'broadcast', { text }] : (JSON.parse(text) as Frame));
  });
  socket.on('close', (closed) => (code = closed));
  socket.on('error', () => {});
  const send = (frame: unknown) =>
    socket.send(Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  const find: RawSocket['waitForFrame'] = (isIt, timeout = 5_000) =>
    vi.waitUntil(() => frames.find(isIt), { timeout, interval: 5 });
  return {
    socket,
    frames,
    send,
    waitForFrame: find,
    async join(name, token, config = { private: true }) {
      const ref = String((lastRef += 1));
      send([ref, ref, `realtime:${name}`, 'phx_join', { config, access_token: token }]);
      const [, , , , payload] = await find((frame) => frame[1] === ref && frame[3] === 'phx_reply');
      return payload;
    },
    waitForClose: (timeout = 5_000) => vi.waitUntil(() => code, { timeout, interval: 5 }),
  };
}

/** Subscribes, and returns the first status. */
export async function subscribe(
  channel: RealtimeChannel,
): Promise<{ status: string; error?: Error }> {
  // Otherwise the first join has no token, as it is still being requested.
  await channel.socket.setAuth();
  return await new Promise((resolve) => {
    channel.subscribe((status, error) => resolve({ status, ...(error ? { error } : {}) }));
  });
}

/** Waits until the list has `count` items, and returns it. */
export function waitForItems<T>(list: readonly T[], count: number): Promise<readonly T[]> {
  return vi.waitUntil(() => (list.length >= count ? list : undefined), {
    timeout: 8_000,
    interval: 5,
  });
}

/**
 * Waits until everything sent before has arrived: its own message came back, and a socket keeps the
 * order.
 */
export async function waitForDelivery(
  sender: RealtimeChannel,
  receiver: RealtimeChannel,
): Promise<void> {
  const mark = randomUUID();
  const marks: string[] = [];
  receiver.on('broadcast', { event: 'mark' }, ({ payload }) => marks.push(String(payload['mark'])));
  await sender.send({ type: 'broadcast', event: 'mark', payload: { mark } });
  await vi.waitUntil(() => marks.includes(mark), { timeout: 5_000, interval: 5 });
}
