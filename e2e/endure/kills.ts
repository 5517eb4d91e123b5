/**
 * F-01 and F-02: `kill -9` of the server, or of its PostgreSQL, at random while users save. What
 * was acknowledged must be there afterwards, exactly once; everything else may be sent again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import {
  createFile,
  createDocumentFromFiles,
  getTexts,
  listTextFiles,
  readFiles,
} from '@vitrine/project';
import * as Y from 'yjs';
import { startServer, type ServerOptions, type TestServer } from '@vitrine/testing/server';

const writerCount = 3;
const path = 'log.txt';

interface KillReport {
  readonly acknowledged: number;
  /** Acknowledged tokens that are not in the saved text exactly once. */
  readonly wrong: readonly string[];
  readonly kills: { readonly server: number; readonly postgres: number };
}

/** Runs a number of kills. `seed` determines their moments and victims. */
export async function runKills(rounds: number, seed: number): Promise<KillReport> {
  const random = createRandom(seed);
  const kills = { server: 0, postgres: 0 };
  let server = await startUnlimited();
  const { dataDir } = server;
  const port = Number(new URL(server.address).port);
  const writers = await Promise.all(
    Array.from({ length: writerCount }, (_, index) => openWriter(port, dataDir, index)),
  );
  const stopped = new AbortController();
  const writing = Promise.all(writers.map((writer) => write(writer, stopped.signal)));
  /** Kills of PostgreSQL since the server was started, which gives up after five in a minute. */
  let inRow = 0;
  for (let round = 0; round < rounds; round++) {
    const before = count(writers);
    await waitForCondition(() => count(writers) > before);
    // The delay is the random moment of the kill, not a wait for something.
    await delay(random() * 300);
    if (random() < 0.5 || inRow === 4) {
      kills.server++;
      inRow = 0;
      server = await killServer(server, port);
    } else {
      kills.postgres++;
      inRow++;
      await killPostgres(dataDir);
    }
  }
  const before = count(writers);
  await waitForCondition(() => count(writers) > before);
  stopped.abort();
  await writing;
  const wrong = (await Promise.all(writers.map(findLostTokens))).flat();
  await server.remove();
  return { acknowledged: count(writers), wrong, kills };
}

/**
 * Starts a server that trusts X-Forwarded-For, because writers exceed the rate limit of one
 * address.
 */
export function startUnlimited(options: ServerOptions = {}): Promise<TestServer> {
  return startServer({ ...options, env: { TRUSTED_PROXIES: '127.0.0.1' } });
}

/** Sends each request from another client address. */
function fetchFromAnywhere(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const parts = Array.from({ length: 3 }, () => Math.floor(Math.random() * 256));
  request.headers.set('x-forwarded-for', `10.${parts.join('.')}`);
  return fetch(request);
}

export interface Writer {
  readonly client: SupabaseClient;
  readonly project: string;
  readonly id: string;
  readonly doc: Y.Doc;
  readonly acknowledged: string[];
  /** The server's sequence number of the last acknowledged update. */
  base: number;
}

export const count = (writers: readonly Writer[]) =>
  writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);

export async function openWriter(port: number, dataDir: string, index: number): Promise<Writer> {
  const { publishableKey } = JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8'));
  const client = createClient(`http://127.0.0.1:${port}`, publishableKey, {
    auth: { persistSession: false },
    global: { fetch: fetchFromAnywhere },
  });
  const name = `writer-${index}`;
  const signedUp = await client.auth.signUp({
    email: `${name}@example.org`,
    password: 'a password for the kills',
    options: { data: { username: name } },
  });
  if (signedUp.error) throw signedUp.error;
  const doc = createDocumentFromFiles(new Map());
  createFile(doc, path, '', 'test');
  const state = Y.encodeStateAsUpdate(doc);
  const created = await client.rpc('create_project', {
    id: randomUUID(),
    title: name,
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path, content: '' }],
    state: Buffer.from(state).toString('base64'),
    state_sha256: sha256(state),
  });
  if (created.error) throw new Error(created.error.message);
  const project: string = created.data.id;
  return { client, project, id: randomUUID(), doc, acknowledged: [], base: created.data.seq };
}

/** Appends tokens one by one, retrying each until it is acknowledged. */
export async function write(writer: Writer, signal: AbortSignal): Promise<void> {
  const file = listTextFiles(writer.doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error('the writer has no file');
  for (let sequence = 1; !signal.aborted; sequence++) {
    const token = `<${sequence}>`;
    const before = Y.encodeStateVector(writer.doc);
    file.text.insert(file.text.length, token);
    const update = Y.encodeStateAsUpdate(writer.doc, before);
    writer.base = await append(writer, { sequence, update, content: file.text.toString() });
    writer.acknowledged.push(token);
  }
}

interface Appended {
  readonly sequence: number;
  readonly update: Uint8Array;
  readonly content: string;
}

async function append(writer: Writer, { sequence, update, content }: Appended): Promise<number> {
  for (;;) {
    const { data, error } = await writer.client.rpc('append_updates', {
      project: writer.project,
      client: writer.id,
      base: writer.base,
      updates: [
        {
          client_seq: sequence,
          update: Buffer.from(update).toString('base64'),
          sha256: sha256(update),
        },
      ],
      changed: [{ path, content }],
      removed: [],
    });
    if (data?.status === 'saved') return data.seq;
    if (data) throw new Error(`one writer alone was told ${JSON.stringify(data)}`);
    // Temporary failures: no connection (no code), 503 while PostgreSQL restarts, a full
    // disk (53100), too many connections (53300), or a statement timeout (57014).
    if (
      error?.code &&
      !/^(PGRST00\d|backend_unreachable|57P0\d|08\d{3}|53[13]00|57014)$/.test(error.code)
    ) {
      throw new Error(`${error.code}: ${error.message}`);
    }
    await delay(20);
  }
}

export async function findLostTokens(writer: Writer): Promise<string[]> {
  const { data, error } = await writer.client.rpc('load_document', {
    project: writer.project,
    since: 0,
  });
  if (error) throw new Error(error.message);
  const doc = new Y.Doc();
  if (data.state) Y.applyUpdate(doc, Buffer.from(data.state, 'base64'));
  for (const { update } of data.updates) Y.applyUpdate(doc, Buffer.from(update, 'base64'));
  const living = getTexts(readFiles(doc)).get(path) ?? '';
  const files = await writer.client
    .from('project_files')
    .select('content')
    .eq('project_id', writer.project)
    .single();
  const saved: unknown = files.data?.content;
  const expected = writer.acknowledged.join('');
  return [
    ...writer.acknowledged.filter((token) => living.split(token).length !== 2),
    ...(saved === living ? [] : [`${writer.project}: the saved text is not that of the document`]),
    ...(living.startsWith(expected) ? [] : [`${writer.project}: the order is another`]),
  ];
}

export async function killServer(server: TestServer, port: number): Promise<TestServer> {
  const exited = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await exited;
  return startUnlimited({ dataDir: server.dataDir, port });
}

/** Kills PostgreSQL, once it has recovered from the previous kill. */
export async function killPostgres(dataDir: string): Promise<void> {
  await waitForCondition(() => {
    try {
      const [pid] = readFileSync(`${dataDir}/postgres/postmaster.pid`, 'utf8').split('\n');
      return process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      // No pid file, or that of the process killed before.
      if (
        error instanceof Error &&
        'code' in error &&
        ['ENOENT', 'ESRCH'].includes(String(error.code))
      )
        return false;
      throw error;
    }
  });
}

export async function waitForCondition(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('condition not met within 60 s');
    await delay(10);
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A seeded generator of numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
