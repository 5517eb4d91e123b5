/**
 * A denial of service from generated inputs: while attackers open projects and send requests that
 * are bombs, a visitor’s page, compile, save and package must take less than twice as long as in
 * quiet, the memory must return, and no process may end.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createDocumentFromFiles } from '@vitrine/project';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';
import { startServer, type TestServer } from '@vitrine/testing/server';
import * as Y from 'yjs';
import { bombKinds, type Bomb, type BombRequest } from './bomb-kinds.ts';
import { createRandom } from './kills.ts';

interface BombOptions {
  readonly seeds: number;
  /** The first seed. */
  readonly seed: number;
  /** Whether times and memory are compared with those in quiet. A busy machine can’t. */
  readonly isMeasured: boolean;
  say(line: string): void;
}

/** What a visitor does. */
const tasks = ['page', 'compile', 'save', 'package'] as const;
type Task = (typeof tasks)[number];
type Times = Record<Task, number[]>;

/** Time that the bombs of a seed may take before the next one. */
const seedTimeoutMs = 30_000;
const bombsPerSeed = 3;
const quietRounds = 20;
/** Times shorter than this aren’t told apart: one scheduling of another process is as long. */
const noiseMs = 50;

/** Runs the bombs of all seeds, and resolves to whether nothing was wrong. */
export async function runBombs({ seeds, seed, isMeasured, say }: BombOptions): Promise<boolean> {
  const registry = await startFakeRegistry();
  const target = await openTarget(registry);
  const wrong: string[] = [];
  try {
    const visitor = await openVisitor(target, registry);
    // Loads all compilers, and fills the caches, so that later memory compares with memory in use.
    for (let index = 0; index < 5; index += 1) await visitor.measure();
    const quiet = createTimes();
    for (let index = 0; index < quietRounds; index += 1) addTimes(quiet, await visitor.measure());
    const memoryBefore = measureMemory(target);
    const loud = createTimes();
    const statuses = new Map<number, number>();
    for (let each = seed; each < seed + seeds; each += 1) {
      const bombs = pickBombs(each);
      const name = `seed ${each} (${bombs.map((bomb) => bomb.name).join('; ')})`;
      try {
        const times = await measureDuring(
          visitor,
          throwBombs(target, bombs, { seed: each, statuses }),
        );
        for (const one of times) addTimes(loud, one);
      } catch (error) {
        wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      const dead = target.server.processes.filter((one) => hasEnded(one));
      if (dead.length > 0) {
        wrong.push(`${name}: the server died (${dead.map(describeEnd).join(', ')})`);
        say(wrong.at(-1) ?? '');
        await target.restart();
      }
      if ((each - seed) % 10 === 9) say(`bombs: ${each - seed + 1} of ${seeds} seeds`);
    }
    say(formatTimes(quiet, loud));
    const counts = [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${count} × ${status || 'none'}`);
    say(`responses to bombs: ${counts.join(', ')}`);
    if (isMeasured) {
      wrong.push(...findSlow(quiet, loud));
      wrong.push(...(await findHeldMemory(target, memoryBefore, say)));
    }
  } finally {
    await target.server.remove();
    await registry.close();
  }
  for (const line of wrong) say(`bombs: ${line}`);
  say(`bombs (seed ${seed}): ${seeds} seeds, ${wrong.length} wrong`);
  return wrong.length === 0;
}

/** Bombs of a seed: any kinds, or those whose names contain KIND. All come up in a few dozen seeds. */
function pickBombs(seed: number): Bomb[] {
  const random = createRandom(seed * 2_654_435_761);
  const wanted = process.env['KIND'] ?? '';
  const kinds = Object.entries(bombKinds).flatMap(([name, create]) =>
    name.includes(wanted) ? [create] : [],
  );
  // The first numbers of near seeds are alike.
  for (let index = 0; index < 5; index += 1) random();
  return Array.from({ length: bombsPerSeed }, () => {
    const create = kinds[Math.floor(random() * kinds.length)];
    if (create === undefined) throw new Error('there are no bombs');
    return create(random);
  });
}

interface Target {
  server: TestServer;
  readonly port: number;
  readonly publishableKey: string;
  restart(): Promise<void>;
}

async function openTarget(registry: FakeRegistry): Promise<Target> {
  const env = { TRUSTED_PROXIES: '127.0.0.1', npm_config_registry: registry.address };
  const server = await startServer({ hasOwnPackages: true, env });
  const { dataDir } = server;
  const { publishableKey } = JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8'));
  const port = Number(new URL(server.address).port);
  const target: Target = {
    server,
    port,
    publishableKey,
    async restart() {
      await target.server.stop();
      target.server = await startServer({ dataDir, port, env });
    },
  };
  return target;
}

type Child = TestServer['processes'][number];

function hasEnded({ exitCode, signalCode }: Child): boolean {
  return exitCode !== null || signalCode !== null;
}

function describeEnd({ exitCode, signalCode }: Child): string {
  return signalCode ?? `exit ${exitCode}`;
}

interface Sent {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Sends a request from an address, to a host of the server. */
function request(
  { port, server }: Target,
  o: { from: string; path: string; host?: string } & Partial<BombRequest>,
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', path, from, host = server.host, headers = {}, body = '' } = o;
    const length = o.declared ?? Buffer.byteLength(body);
    const sent = send(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        timeout: seedTimeoutMs,
        headers: {
          host,
          'x-forwarded-for': from,
          ...headers,
          ...(length > 0 && { 'content-length': length }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () =>
      sent.destroy(new Error(`${method} ${path.slice(0, 80)}: no response`)),
    );
    void writeBody(sent, body, o.trickleMs).then(() => o.declared === undefined && sent.end());
  });
}

async function writeBody(
  sent: ReturnType<typeof send>,
  body: string | Buffer,
  trickleMs: number | undefined,
): Promise<void> {
  if (trickleMs === undefined) return void (body.length > 0 && sent.write(body));
  for (const piece of body) {
    if (sent.destroyed) return;
    sent.write(String(piece));
    await delay(trickleMs);
  }
}

interface Project {
  readonly id: string;
  readonly slug: string;
  readonly owner: string;
  readonly host: string;
  readonly seq: number;
}

let accounts = 0;

/** Creates an account with a public project. */
async function createProject(
  { port, publishableKey, server }: Target,
  files: Readonly<Record<string, string>>,
  from: string,
): Promise<{ client: SupabaseClient; project: Project }> {
  const owner = `person${(accounts += 1)}`;
  const client = createClient(`http://127.0.0.1:${port}`, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch(input, init) {
        const headers = new Headers(init?.headers);
        headers.set('x-forwarded-for', from);
        return fetch(input, { ...init, headers });
      },
    },
  });
  const signedUp = await client.auth.signUp({
    email: `${owner}@example.org`,
    password: 'a password for the bombs',
    options: { data: { username: owner } },
  });
  if (signedUp.error) throw signedUp.error;
  const state = Y.encodeStateAsUpdate(createDocumentFromFiles(Object.entries(files)));
  const created = await client.rpc('create_project', {
    id: randomUUID(),
    title: owner,
    description: '',
    visibility: 'public',
    settings: {},
    files: Object.entries(files).map(([path, content]) => ({ path, content })),
    state: Buffer.from(state).toString('base64'),
    state_sha256: sha256(state),
  });
  if (created.error) throw new Error(`create_project: ${created.error.message.slice(0, 200)}`);
  const { id, slug, seq } = created.data;
  const host = `${slug}.${server.host.replace('vitrine.', 'vitrine-preview.')}`;
  return { client, project: { id, slug, owner, host, seq } };
}

interface Visitor {
  /** Does each task once, and returns the milliseconds of each. */
  measure(): Promise<Record<Task, number>>;
}

/** Modules of the visitor’s project. Each is compiled once. */
const modulesPerProject = 150;

async function openVisitor(target: Target, registry: FakeRegistry): Promise<Visitor> {
  const from = '198.51.100.7';
  let count = 0;
  let own = await openOwnProject();

  async function openOwnProject() {
    const modules = Array.from({ length: modulesPerProject }, (_, index) => [
      `m${index}.tsx`,
      `export const a: string = <b>{${count + index}}</b>;\n`,
    ]);
    const { client, project } = await createProject(
      target,
      { 'index.html': '<h1>Hello</h1>', 'log.txt': '', ...Object.fromEntries(modules) },
      from,
    );
    return {
      client,
      project,
      next: 0,
      seq: project.seq,
      client_seq: 0,
      doc: new Y.Doc(),
      id: randomUUID(),
    };
  }

  async function expectStatus(asked: Promise<Sent>, what: string): Promise<Sent> {
    const answer = await asked;
    if (answer.status >= 400)
      throw new Error(`the visitor’s ${what} got ${answer.status} ${answer.body.slice(0, 100)}`);
    return answer;
  }

  const work: Record<Task, () => Promise<unknown>> = {
    page: () =>
      expectStatus(
        request(target, {
          from,
          path: `/@${own.project.owner}/${own.project.slug}`,
          headers: { accept: 'text/html', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
        }),
        'page',
      ),
    compile: () =>
      expectStatus(
        request(target, {
          from,
          host: own.project.host,
          path: `/m${own.next}.tsx`,
          headers: { 'sec-fetch-dest': 'script' },
        }),
        'module',
      ),
    async save() {
      const before = Y.encodeStateVector(own.doc);
      own.doc.getText('unused').insert(0, 'a');
      const update = Y.encodeStateAsUpdate(own.doc, before);
      const { data, error } = await own.client.rpc('append_updates', {
        project: own.project.id,
        client: own.id,
        base: own.seq,
        updates: [
          {
            client_seq: (own.client_seq += 1),
            update: Buffer.from(update).toString('base64'),
            sha256: sha256(update),
          },
        ],
        changed: [],
        removed: [],
      });
      if (data?.status !== 'saved')
        throw new Error(`a save failed: ${JSON.stringify(data ?? error)}`);
      own.seq = data.seq;
    },
    async package() {
      const name = `quiet-${count}`;
      registry.publish({
        name,
        version: '1.0.0',
        files: { 'index.js': `export default ${count};` },
      });
      const found = await expectStatus(
        request(target, { from, path: `/npm/${name}@1.0.0` }),
        'package',
      );
      if (found.location === undefined) throw new Error('the package has no exact URL');
      await expectStatus(request(target, { from, path: found.location }), 'build');
    },
  };

  return {
    async measure() {
      count += 1;
      own.next += 1;
      if (own.next >= modulesPerProject) own = await openOwnProject();
      const times: Partial<Record<Task, number>> = {};
      for (const task of tasks) {
        const start = performance.now();
        await work[task]();
        times[task] = performance.now() - start;
      }
      return { page: 0, compile: 0, save: 0, package: 0, ...times };
    },
  };
}

/** Measures the visitor until the bombs have ended, at least twice. */
async function measureDuring(
  visitor: Visitor,
  bombs: Promise<void>,
): Promise<Record<Task, number>[]> {
  const over = new AbortController();
  const ended = bombs.finally(() => over.abort());
  ended.catch(() => undefined);
  const times: Record<Task, number>[] = [];
  while (!over.signal.aborted || times.length < 2) times.push(await visitor.measure());
  await ended;
  return times;
}

/** Throws bombs from an address each, and counts the statuses of the responses. */
async function throwBombs(
  target: Target,
  bombs: readonly Bomb[],
  { seed, statuses }: { seed: number; statuses: Map<number, number> },
): Promise<void> {
  const all = bombs.map(async (bomb, index) => {
    for (const status of await throwBomb(target, bomb, `203.0.${seed % 250}.${index + 1}`))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  const ended = new AbortController();
  await Promise.race([
    Promise.all(all).finally(() => ended.abort()),
    delay(seedTimeoutMs, undefined, { signal: ended.signal }).catch(() => undefined),
  ]);
}

/** Sends a bomb. Resolves to the statuses of the responses, 0 for none. */
async function throwBomb(target: Target, bomb: Bomb, from: string): Promise<number[]> {
  const ask = (o: Parameters<typeof request>[1]) =>
    request(target, o).then(
      ({ status }) => status,
      () => 0,
    );
  if (bomb.kind === 'requests') {
    const { publishableKey: apikey } = target;
    return await Promise.all(
      bomb.requests.map((each) => ask({ ...each, from, headers: { apikey, ...each.headers } })),
    );
  }
  const files = {
    'index.html': `<script type="module" src="/${bomb.path}"></script>`,
    [bomb.path]: bomb.text,
  };
  const { project } = await createProject(target, files, from);
  const open = (path: string, destination: string, host?: string) =>
    ask({
      from,
      path,
      headers: {
        'sec-fetch-dest': destination,
        ...(destination === 'document' && { accept: 'text/html', 'sec-fetch-mode': 'navigate' }),
      },
      ...(host !== undefined && { host }),
    });
  return await Promise.all([
    ...['script', 'style', 'iframe', 'empty'].map((each) =>
      open(`/${bomb.path}`, each, project.host),
    ),
    open('/', 'iframe', project.host),
    open(`/@${project.owner}/${project.slug}`, 'document'),
  ]);
}

function createTimes(): Times {
  return { page: [], compile: [], save: [], package: [] };
}

function addTimes(times: Times, one: Record<Task, number>): void {
  for (const task of tasks) times[task].push(one[task]);
}

function findPercentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function findSlow(quiet: Times, loud: Times): string[] {
  return tasks.flatMap((task) => {
    const most = Math.max(findPercentile(quiet[task], 0.95) * 2, noiseMs);
    const found = findPercentile(loud[task], 0.95);
    return found < most ? [] : [`${task}: p95 ${found.toFixed(0)} ms, at most ${most.toFixed(0)}`];
  });
}

function formatTimes(quiet: Times, loud: Times): string {
  const format = (times: readonly number[]) =>
    [0.5, 0.95, 1].map((share) => findPercentile(times, share).toFixed(0)).join('/');
  return tasks
    .map((task) => `${task}: ${format(quiet[task])} ms in quiet, ${format(loud[task])} under bombs`)
    .join('; ')
    .concat(' (median/p95/most)');
}

/** Resident memory of the server and its children, without PostgreSQL, in MB. Linux only. */
function measureMemory({ server }: Target): number {
  const roots = new Set(server.processes.map(({ pid }) => pid));
  const processes = new Map<number, { parent: number; name: string; megabytes: number }>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const status = readFileSync(`/proc/${entry}/status`, 'utf8');
      const read = (field: string) =>
        new RegExp(`^${field}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '0';
      const megabytes = Number(read('VmRSS')) / 1_024;
      processes.set(Number(entry), { parent: Number(read('PPid')), name: read('Name'), megabytes });
    } catch {
      // The process has just ended.
    }
  }
  const isOurs = (pid: number): boolean => {
    if (roots.has(pid)) return true;
    const found = processes.get(pid);
    return found !== undefined && found.parent > 1 && isOurs(found.parent);
  };
  let sum = 0;
  for (const [pid, { name, megabytes }] of processes)
    if (isOurs(pid) && !name.startsWith('postgres')) sum += megabytes;
  return sum;
}

/** Waits for the memory to return to within a fifth, while children end after an idle minute. */
async function findHeldMemory(
  target: Target,
  before: number,
  say: BombOptions['say'],
): Promise<string[]> {
  const deadline = Date.now() + 150_000;
  let after = measureMemory(target);
  while (after > before * 1.2 && Date.now() < deadline) {
    await delay(2_000);
    after = measureMemory(target);
  }
  const text = `memory: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`;
  say(text);
  return after > before * 1.2 ? [text] : [];
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
