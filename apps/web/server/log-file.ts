import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A rotated log: `vitrine.log`, then `vitrine.1.log` (the newest of the old files) and so on. */
interface LogFile {
  /** Appends a line. On a full disk the line is dropped, so that logging never stops the server. */
  write(line: string): void;
  close(): void;
}

/**
 * Opens the log in `folder`, which is created if missing. A file that would grow beyond `maxBytes`
 * is rotated, and `keep` old files are kept. Lines are written synchronously, so that the last ones
 * before a crash aren't lost.
 */
export function openLogFile(
  folder: string,
  { maxBytes = 10 * 1024 * 1024, keep = 5 }: { maxBytes?: number; keep?: number } = {},
): LogFile {
  const pathOf = (number: number) =>
    join(folder, number === 0 ? 'vitrine.log' : `vitrine.${number}.log`);
  // As root, the user that PostgreSQL runs as must be able to enter the data folder around it.
  mkdirSync(dirname(folder), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let file = openSync(pathOf(0), 'a', 0o600);
  let size = fstatSync(file).size;

  function rotate(): void {
    closeSync(file);
    rmSync(pathOf(keep), { force: true });
    for (let number = keep - 1; number >= 0; number -= 1) {
      renameIfExists(pathOf(number), pathOf(number + 1));
    }
    file = openSync(pathOf(0), 'a', 0o600);
    size = 0;
  }

  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (size > 0 && size + bytes.length > maxBytes) rotate();
      size += tryWrite(file, bytes);
    },
    close: () => closeSync(file),
  };
}

function renameIfExists(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function tryWrite(file: number, bytes: Buffer): number {
  try {
    return writeSync(file, bytes);
  } catch (error) {
    if (hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')) return 0;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
