import { isRecord } from '@vitrine/project';
import type { FoundEntry } from '../import/imported-project.ts';

/** Path of the list of files that a download has written for Vite. */
export const writtenFilesPath = '.vitrine/project.json';

/** A file that was written for Vite. */
export interface WrittenFile {
  readonly written: string;
  /** The project's own text; null if the project has no such file. */
  readonly original: string | null;
}

/** Largest list of written files that is read, in bytes. */
const maxListBytes = 4 * 1024 * 1024;

/**
 * Removes the files that a download has added for Vite, and restores those that it has changed. Files
 * that were edited since stay as they are. Without such a list, the entries stay.
 */
export async function restoreProject(entries: readonly FoundEntry[]): Promise<FoundEntry[]> {
  const list = entries.find(({ path }) => path === writtenFilesPath);
  if (!list || list.size > maxListBytes) return [...entries];
  const written = parseList(new TextDecoder().decode(await list.read()));
  if (!written) return [...entries];
  const restored: FoundEntry[] = [];
  for (const entry of entries) {
    if (entry === list) continue;
    const file = Object.hasOwn(written, entry.path) ? written[entry.path] : undefined;
    const [text, original] = isRecord(file) ? [file['written'], file['original']] : [];
    if (typeof text !== 'string' || !(await hasText(entry, text))) restored.push(entry);
    else if (typeof original === 'string') {
      const bytes = new TextEncoder().encode(original);
      restored.push({ path: entry.path, size: bytes.length, read: () => Promise.resolve(bytes) });
    }
  }
  return restored;
}

async function hasText({ size, read }: FoundEntry, text: string): Promise<boolean> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length !== size) return false;
  const found = await read();
  return bytes.every((byte, index) => found[index] === byte);
}

function parseList(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const list: unknown = JSON.parse(text);
    const files = isRecord(list) && list['version'] === 1 ? list['files'] : undefined;
    return isRecord(files) ? files : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
