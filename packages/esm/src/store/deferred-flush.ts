/*
 * Thousands of files are flushed to disk after their folder is in its final place, so that no request
 * waits for the disk. A power cut before the flush may leave them empty. Each such folder therefore
 * has a mark, which is flushed before the folder gets its final name, and contains the boot ID of the
 * machine. When a process opens the store after another boot, it deletes the folders that are still
 * marked. A killed process loses nothing, because the operating system already has its writes.
 */
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreNotFound, writeFileAtomically } from './atomic-write.ts';

/** Flushes folders to disk after they are in their final place. */
interface DeferredFlush {
  /**
   * Call before the folder `work` is renamed to KIND/ID, and call the returned function after that.
   * On systems without a boot ID, the folder is flushed immediately.
   */
  mark(work: string, kind: string, id: string): Promise<() => void>;
}

/**
 * Deletes the folders in the store that a power cut may have left incomplete, and flushes the
 * others.
 */
export async function openDeferredFlush(folder: string): Promise<DeferredFlush> {
  const bootId = await findBootId();
  const marks = join(folder, 'unflushed');
  /** Resolves when the last folder of the queue is flushed. Never rejects. */
  let queue = Promise.resolve();

  const flushLater = (kind: string, id: string) => {
    queue = queue
      .then(() => flushFolder(join(folder, kind, id)))
      .then(() => rm(join(marks, `${kind}-${id}`), { force: true }))
      // The mark stays when the disk fails, and the next process that opens the store tries again.
      .catch(() => undefined);
  };

  for (const mark of await list(marks)) {
    const [, kind, id] = /^([a-z]+)-(.+)$/.exec(mark) ?? [];
    if (kind === undefined || id === undefined || mark.endsWith('.tmp')) continue;
    if ((await readFile(join(marks, mark), 'utf8').catch(ignoreNotFound)) === bootId) {
      flushLater(kind, id);
    } else {
      await rm(join(folder, kind, id), { recursive: true, force: true });
      await rm(join(marks, mark), { force: true });
    }
  }

  return {
    async mark(work, kind, id) {
      if (bootId === undefined) {
        await flushFolder(work);
        return () => undefined;
      }
      await writeFileAtomically(join(marks, `${kind}-${id}`), bootId);
      return () => flushLater(kind, id);
    },
  };
}

/** ID of the current boot of this machine. Undefined on systems other than Linux. */
async function findBootId(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(ignoreNotFound);
}

/**
 * Flushes one file after the other, because the thread pool that waits for the disk also reads
 * files for requests.
 */
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
  return readdir(folder).catch((error: unknown) => ignoreNotFound(error) ?? []);
}
