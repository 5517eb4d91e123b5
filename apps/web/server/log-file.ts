import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A log on disk: `vitrine.log`, and before it `vitrine.1.log` (the newest of them) and so on. */
export interface LogFile {
  /** Adds a line. When the disk takes none, it is lost: a log stops nothing that it tells of. */
  write(line: string): void;
  close(): void;
}

/**
 * Opens the log in `folder`, which is made where it is missing. A file that would grow beyond
 * `maxBytes` is put aside, and the oldest of more than `keep` removed. Lines are written at once:
 * of a process that is killed, the last line is what one wants to read.
 */
export function openLogFile(
  folder: string,
  { maxBytes = 10 * 1024 * 1024, keep = 5 }: { maxBytes?: number; keep?: number } = {},
): LogFile {
  const place = (number: number) =>
    join(folder, number === 0 ? 'vitrine.log' : `vitrine.${number}.log`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let file = openSync(place(0), 'a', 0o600);
  let size = fstatSync(file).size;

  function putAside(): void {
    closeSync(file);
    rmSync(place(keep), { force: true });
    for (let number = keep - 1; number >= 0; number -= 1) {
      renameIfThere(place(number), place(number + 1));
    }
    file = openSync(place(0), 'a', 0o600);
    size = 0;
  }

  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (size > 0 && size + bytes.length > maxBytes) putAside();
      size += writeIfRoom(file, bytes);
    },
    close: () => closeSync(file),
  };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function writeIfRoom(file: number, bytes: Buffer): number {
  try {
    return writeSync(file, bytes);
  } catch (error) {
    if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) return 0;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
