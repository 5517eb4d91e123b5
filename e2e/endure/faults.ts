/**
 * Faults while users save and upload: acknowledged data must be there afterwards, exactly once
 * and complete; the server must recover by itself; and no response may be a 500.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultTarget } from './fault-target.ts';
import {
  count,
  createRandom,
  findLostTokens,
  killPostgres,
  killServer,
  openWriter,
  startUnlimited,
  waitForCondition,
  write,
  type Writer,
} from './kills.ts';
import {
  exhaustConnections,
  fillDisk,
  floodJoins,
  slowDatabase,
  stopReading,
} from './fault-kinds.ts';
import { findDamagedObjects, openUploader, upload, type Uploader } from './uploads.ts';

/** The faults to choose from in a round. */
const faultNames = [
  'server killed',
  'database killed',
  'disk full',
  'connections exhausted',
  'database slow',
  'client stops reading',
  'flood of joins',
] as const;
type FaultName = (typeof faultNames)[number];

interface FaultReport {
  readonly acknowledged: number;
  readonly uploaded: number;
  readonly wrong: readonly string[];
  /** Number of occurrences of each fault. */
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
}

const tmpfsMegabytes = 400;

/** Runs rounds of faults, each kind equally often, in an order determined by `seed`. */
export async function runFaults(rounds: number, seed: number): Promise<FaultReport> {
  const disk = openDisk();
  const server = await startUnlimited({ dataDir: disk.dataDir });
  const port = Number(new URL(server.address).port);
  const writers = await Promise.all(
    [0, 1, 2].map((index) => openWriter(port, disk.dataDir, index)),
  );
  const [writer] = writers;
  if (!writer) throw new Error('nobody writes');
  const uploader = await openUploader(writer.client);
  const site: FaultTarget = { server, port, dataDir: disk.dataDir, writer, uploader };
  const stopped = new AbortController();
  const working = Promise.all([
    ...writers.map((one) => write(one, stopped.signal)),
    upload(uploader, stopped.signal),
  ]);
  const faults: Partial<Record<FaultName, number>> = {};
  const wrong: string[] = [];
  const random = createRandom(seed);
  for (const name of shuffle(
    rounds,
    disk.isSmall ? faultNames : faultNames.filter(isNotDisk),
    random,
  )) {
    await waitForProgress(writers, uploader);
    await delay(random() * 300);
    wrong.push(...(await kinds[name](site)));
    faults[name] = (faults[name] ?? 0) + 1;
  }
  await waitForProgress(writers, uploader);
  stopped.abort();
  await working;
  wrong.push(...(await Promise.all(writers.map(findLostTokens))).flat());
  wrong.push(...(await findDamagedObjects(uploader, site)));
  wrong.push(...findServerErrors(site.server.log));
  await site.server.stop();
  disk.remove();
  return { acknowledged: count(writers), uploaded: uploader.kept.size, wrong, faults };
}

/** Each fault causes itself and returns the failures that it observed. */
const kinds: Readonly<Record<FaultName, (site: FaultTarget) => Promise<string[]>>> = {
  async 'server killed'(site) {
    site.server = await killServer(site.server, site.port);
    return [];
  },
  async 'database killed'({ dataDir }) {
    await killPostgres(dataDir);
    return [];
  },
  'disk full': fillDisk,
  'connections exhausted': exhaustConnections,
  'database slow': slowDatabase,
  'client stops reading': stopReading,
  'flood of joins': floodJoins,
};

const isNotDisk = (name: FaultName) => name !== 'disk full';

/** Each fault equally often, in random order. */
function shuffle(rounds: number, names: readonly FaultName[], random: () => number): FaultName[] {
  const left: FaultName[] = [];
  return Array.from({ length: rounds }, () => {
    if (left.length === 0) left.push(...names);
    const [name] = left.splice(Math.floor(random() * left.length), 1);
    if (name === undefined) throw new Error('there is no fault to choose from');
    return name;
  });
}

/** Waits until every writer and the uploader make progress again. */
async function waitForProgress(writers: readonly Writer[], uploader: Uploader): Promise<void> {
  const before = writers.map(({ acknowledged }) => acknowledged.length);
  const uploaded = uploader.kept.size;
  await waitForCondition(
    () =>
      uploader.kept.size > uploaded &&
      writers.every(({ acknowledged }, index) => acknowledged.length > (before[index] ?? 0)),
  );
}

/** Finds unexpected request failures in the log. */
function findServerErrors(log: readonly string[]): string[] {
  return log.filter((line) => / error /.test(line) && /A request failed/.test(line));
}

/** A small disk (tmpfs) if running as root, otherwise a folder. */
function openDisk(): { dataDir: string; isSmall: boolean; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-faults-'));
  const isSmall = process.getuid?.() === 0;
  const size = `size=${tmpfsMegabytes}m,mode=711`;
  if (isSmall) execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]);
  chmodSync(folder, 0o711);
  return {
    dataDir: folder,
    isSmall,
    remove() {
      if (isSmall) execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
