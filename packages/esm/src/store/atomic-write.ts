import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file atomically: readers see the old content or the new one, also after a power cut. The
 * content is written to a temporary file, flushed and renamed.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether an error says that a file doesn't exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Rejection handler for files that may not exist: returns undefined for ENOENT, and rethrows every
 * other error.
 */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
