import { VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledPackages } from './installed.ts';
import { describeReason, type PackageLog } from './log.ts';
import type { Registry } from './registry.ts';
import { forgetOldestFiles } from './store-eviction.ts';
import { isAbsent, writeWholeFile } from './whole-file.ts';

/**
 * The registry's documents about packages ("packuments"), kept on disk. One that was asked for a
 * moment ago is not asked for again; when the registry does not answer, the last one known is
 * used, and without one, what came with the installation.
 */
export interface Packuments {
  /** JSON. Throws what the registry throws. */
  read(name: string): Promise<Buffer>;
}

const freshMs = 5 * 60 * 1000;
/** Beyond these the longest unused half goes. */
const keptFiles = 4_000;
/** How often files are counted: once in so many new ones. */
const countEvery = 200;

export function createPackuments(options: {
  folder: string;
  /** Tells the documents of one registry from another's. */
  registryKey: (name: string) => string;
  registry: Registry;
  installed: InstalledPackages;
  log: PackageLog;
}): Packuments {
  const { folder, registry, installed } = options;
  /** Name → the answer on its way. */
  const inFlight = new Map<string, Promise<Buffer>>();
  let written = 0;

  const fetchAndKeep = async (name: string): Promise<Buffer> => {
    const path = join(folder, `${fileName(`${options.registryKey(name)}\n${name}`)}.json`);
    const kept = await readKept(path);
    if (kept !== undefined && kept.isFresh) return kept.body;
    try {
      const answer = await registry.fetchPackument(name, kept?.etag);
      if (answer === 'unchanged') {
        if (kept === undefined) throw new VitrineError('package_damaged', name);
        await noteTime(path);
        return kept.body;
      }
      await keep(path, joinKept(answer.etag, answer.body));
      return answer.body;
    } catch (error) {
      const known = await findKnown(error, name, kept);
      if (known === undefined) throw error;
      return known;
    }
  };

  /** A full disk costs the next one a request, and nobody an answer. */
  const keep = async (path: string, content: Buffer) => {
    try {
      await writeWholeFile(path, content);
      if (++written % countEvery === 0) await forgetOldestFiles(folder, keptFiles);
    } catch (error) {
      options.log.warn('A package document was not kept.', { reason: describeReason(error) });
    }
  };

  const findKnown = async (error: unknown, name: string, kept: Kept | undefined) => {
    if (!(error instanceof VitrineError) || error.code !== 'registry_unreachable') return undefined;
    return kept?.body ?? (await installed.describe(name));
  };

  return {
    read(name) {
      const running = inFlight.get(name);
      if (running !== undefined) return running;
      const started = fetchAndKeep(name).finally(() => inFlight.delete(name));
      inFlight.set(name, started);
      return started;
    },
  };
}

interface Kept {
  readonly etag: string | undefined;
  readonly body: Buffer;
  readonly isFresh: boolean;
}

/** The first line is the etag, the rest the document; the file's time is when it was last known. */
function joinKept(etag: string | undefined, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${etag?.replaceAll('\n', '') ?? ''}\n`), body]);
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
    const end = content.indexOf('\n');
    const etag = content.toString('latin1', 0, Math.max(end, 0));
    const isFresh = Math.abs(Date.now() - mtimeMs) < freshMs;
    return { etag: etag === '' ? undefined : etag, body: content.subarray(end + 1), isFresh };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** That it is still true; the file may have gone meanwhile, to make room. */
async function noteTime(path: string): Promise<void> {
  try {
    await utimes(path, new Date(), new Date());
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

function fileName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
