import { gzipSync } from 'node:zlib';

/** One entry of an archive as an attacker would write it: nothing is validated or completed. */
export interface TarEntry {
  readonly name: string;
  /** '0' file, '1' link, '2' symbolic link, '3' device …, '5' folder, 'x' PAX, 'L' long name. */
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly link?: string;
}

/** Writes a gzipped ustar archive of exactly these entries. */
export function makeArchive(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(writeEntry), Buffer.alloc(1024)]));
}

/**
 * Writes a PAX header (POSIX.1-2001) that overrides a value of the next entry: `path=…`,
 * `linkpath=…`.
 */
export function paxEntry(key: string, value: string): TarEntry {
  const body = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(body);
  while (String(length).length + Buffer.byteLength(body) !== length) length += 1;
  return { name: 'PaxHeader/x', type: 'x', content: `${length}${body}` };
}

function writeEntry({ name, type = '0', content = '', link = '' }: TarEntry): Buffer[] {
  const bytes = Buffer.from(content);
  const padding = Buffer.alloc((512 - (bytes.byteLength % 512)) % 512);
  return [archiveHeader(name, bytes.byteLength, type, link), bytes, padding];
}

/** Header block of a file. */
export function archiveHeader(name: string, size: number, type = '0', link = ''): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write(link, 157, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
