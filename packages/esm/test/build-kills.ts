/*
 * Two servers on one store, both killed with `kill -9` while they fetch and build. Whatever is in the
 * store afterwards must be complete, and a third server must return the same bytes as one that was
 * never killed.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BuildManifest } from '../src/build/manifest.ts';
import { createPackageServer } from '../src/index.ts';
import { appOrigin, clientOf } from './package-server-fixture.ts';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';

export interface BuildKillReport {
  readonly rounds: number;
  /** Builds that were complete after a kill. */
  readonly whole: number;
  /** Kills that interrupted work, so that something could be incomplete. */
  readonly interrupted: number;
  /** What was incomplete or different. */
  readonly wrong: readonly string[];
}

/**
 * Runs the rounds. `random` returns numbers from 0 to 1, which determine the moments of the kills.
 */
export async function killBuilds(rounds: number, random: () => number): Promise<BuildKillReport> {
  const registry = await startFakeRegistry();
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-kills-'));
  const names = publishMany(registry, rounds * packagesInRound);
  const wrong: string[] = [];
  let interrupted = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const own = names.slice(round * packagesInRound, (round + 1) * packagesInRound);
      await killTwo({ folder, registry: registry.address, names: own }, random);
      if ((await readdir(join(folder, 'temporary'))).length > 0) interrupted++;
      wrong.push(...(await findHalf(folder)).map((what) => `round ${round}: ${what}`));
    }
    const whole = (await readdir(join(folder, 'built'))).length;
    wrong.push(...(await findOther(folder, registry.address, names)));
    return { rounds, whole, interrupted, wrong };
  } finally {
    await registry.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Task {
  readonly folder: string;
  readonly registry: string;
  readonly names: readonly string[];
}

const packagesInRound = 4;
const partsOfPackage = 12;

/** Packages whose builds have several files and take some tenths of a second. */
function publishMany({ publish }: FakeRegistry, count: number): string[] {
  const text = JSON.stringify('x'.repeat(2_000));
  return Array.from({ length: count }, (_, n) => {
    const name = `pkg${n}`;
    const parts = Array.from({ length: partsOfPackage }, (__, part) => [
      `parts/${part}.js`,
      `import { shared } from '../shared.js'; export const text = [shared, ${part}, ${n}, ${text}];`,
    ]);
    const files = {
      'index.js': `export * from './shared.js'; export const later = () => import('./parts/7.js');`,
      'shared.js': `export const shared = ${JSON.stringify(`${n} ${'y'.repeat(50_000)}`)};`,
      ...Object.fromEntries(parts),
    };
    const exports = { '.': './index.js', './parts/*': './parts/*.js' };
    publish({ name, version: '1.0.0', files, manifest: { type: 'module', exports } });
    return name;
  });
}

const program = fileURLToPath(import.meta.url);

/**
 * Starts both servers with the same packages, and kills them after either has served some of them.
 */
async function killTwo(task: Task, random: () => number): Promise<void> {
  const children = [1, 2].map(() => fork(program, [JSON.stringify(task)], { silent: true }));
  const ended = children.map((child) => once(child, 'exit'));
  const served = Math.floor(random() * 3);
  const reached = children.map((child) => untilServed(child, served));
  try {
    await Promise.race(reached);
    // The random moment of the kill; this doesn't wait for anything.
    await delay(random() * 400);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    await Promise.allSettled(reached);
  }
}

async function untilServed(child: ChildProcess, count: number): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const gone = once(child, 'exit').then(() => {
    throw new Error(`a server ended by itself: ${said}`);
  });
  gone.catch(() => undefined);
  for (let served = 0; served <= count; served++)
    await Promise.race([once(child, 'message'), gone]);
}

/** Items in the store that have their final name and are incomplete. */
async function findHalf(folder: string): Promise<string[]> {
  const half: string[] = [];
  const list = (kind: string) => readdir(join(folder, kind)).catch(() => []);
  for (const id of await list('built')) {
    const place = join(folder, 'built', id);
    const text = await readFile(join(place, 'manifest.json'), 'utf8').catch(() => '{}');
    const { modules } = parse(text) as Partial<BuildManifest>;
    if (modules === undefined) half.push(`${id} has no manifest`);
    for (const [file, { bytes }] of Object.entries(modules ?? {})) {
      const found = await stat(join(place, file)).catch(() => undefined);
      if (found?.size !== bytes) half.push(`${id}/${file} has ${found?.size} of ${bytes} bytes`);
    }
  }
  for (const id of await list('unpacked')) {
    const files = await readdir(join(folder, 'unpacked', id, 'parts')).catch(() => []);
    if (files.length !== partsOfPackage) half.push(`${id} has ${files.length} parts`);
  }
  for (const link of await list('links')) {
    const text = await readFile(join(folder, 'links', link), 'utf8');
    if (!('name' in parse(text))) half.push(`link ${link}`);
  }
  return half;
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    // Expected.
    return {};
  }
}

/** Compares the responses of a server on the store with those of a server on an empty store. */
async function findOther(folder: string, registry: string, names: readonly string[]) {
  const clean = await mkdtemp(join(tmpdir(), 'vitrine-kills-'));
  try {
    const [after, fresh] = await Promise.all(
      [folder, clean].map((store) => readAll({ folder: store, registry, names })),
    );
    return names.filter((name) => after?.get(name) !== fresh?.get(name) || !after?.get(name));
  } finally {
    await rm(clean, { recursive: true, force: true });
  }
}

async function readAll(task: Task): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  await serveAll(task, (name, text) => texts.set(name, text));
  return texts;
}

const complain = (message: string) => void process.stderr.write(`${message}\n`);

/** Adds and requests every package, several at a time, each with a subpath. */
async function serveAll(
  { folder, registry, names }: Task,
  tell: (name: string, text: string) => void,
): Promise<void> {
  const server = await createPackageServer({
    folder,
    appOrigins: [appOrigin],
    registry: { npm: { registry }, tarballHosts: [] },
    installed: [],
    log: { info() {}, warn: complain, error: complain },
  });
  const { add, get } = clientOf(server);
  const queue = names.values();
  const work = async () => {
    for (const name of queue) {
      const base = (await add([name])).baseOf(name);
      const answers = [await get(base), await get(`${base}/parts/7`)];
      tell(name, (await Promise.all(answers.map((response) => response.text()))).join('\n'));
    }
  };
  await Promise.all([work(), work(), work()]);
  await server.close();
}

if (import.meta.main) {
  const task = JSON.parse(process.argv[2] ?? '') as Task;
  await serveAll(task, (name) => process.send?.(name));
  // A server that has finished before the kill has no work to interrupt.
  await new Promise(() => setInterval(() => {}, 1_000));
}
