import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A gzipped tar (ustar, POSIX.1-1988) of regular files under `package/`, always of the same bytes. */
export function makeTarball(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    return [header(`package/${path}`, content.byteLength), content, padding(content.byteLength)];
  });
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((512 - (size % 512)) % 512);
}

export function sha512(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
