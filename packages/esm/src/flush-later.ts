/*
 * Thousands of files are flushed after they got their place, so that nobody waits for the disk. A
 * power cut before that may leave them empty, so each such folder has a mark, flushed itself before
 * the folder gets its name, that says in which run of the machine it was written: whoever opens the
 * store in a later run takes the folder away. A process that is killed loses nothing, for what it
 * wrote is the system's by then.
 */
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreAbsent, writeWholeFile } from './whole-file.ts';

export interface LateFlushing {
  /**
   * To be called before the folder `work` is renamed to KIND/ID; the function returned, after it.
   * Where the system does not tell one run of the machine from the next, it is flushed at once.
   */
  begin(work: string, kind: string, id: string): Promise<() => void>;
}

/** For the store in `folder`: takes away what a power cut may have left half, and flushes the rest. */
export async function openLateFlushing(folder: string): Promise<LateFlushing> {
  const run = await findRun();
  const marks = join(folder, 'unflushed');
  /** Ends with the last folder of all that were to be flushed; it never rejects. */
  let turn = Promise.resolve();

  const flushLater = (kind: string, id: string) => {
    turn = turn
      .then(() => flushFolder(join(folder, kind, id)))
      .then(() => rm(join(marks, `${kind}-${id}`), { force: true }))
      // The mark stays where the disk fails, and whoever opens the store next tries again.
      .catch(() => undefined);
  };

  for (const mark of await list(marks)) {
    const [, kind, id] = /^([a-z]+)-(.+)$/.exec(mark) ?? [];
    if (kind === undefined || id === undefined || mark.endsWith('.tmp')) continue;
    if ((await readFile(join(marks, mark), 'utf8').catch(ignoreAbsent)) === run) {
      flushLater(kind, id);
    } else {
      await rm(join(folder, kind, id), { recursive: true, force: true });
      await rm(join(marks, mark), { force: true });
    }
  }

  return {
    async begin(work, kind, id) {
      if (run === undefined) {
        await flushFolder(work);
        return () => undefined;
      }
      await writeWholeFile(join(marks, `${kind}-${id}`), run);
      return () => flushLater(kind, id);
    },
  };
}

/** Names this run of the machine, from its start to its end. */
async function findRun(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(ignoreAbsent);
}

/** One file after the other: the threads that would wait are those that read what is asked for. */
async function flushFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isFile()) await flushFile(join(entry.parentPath, entry.name));
  }
}

async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => ignoreAbsent(error) ?? []);
}
