import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip as an attacker would write it: by default, it’s sound. */
export interface ZipEntry {
  /** Bytes of the name, or a text to write as UTF-8. */
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** Whether the entry says that its name is UTF-8. */
  readonly isUtf8?: boolean;
  readonly isEncrypted?: boolean;
  /** Method to declare; 8, deflate, by default. Anything else is stored as it is. */
  readonly method?: number;
  /** Size to declare. */
  readonly size?: number;
  readonly checksum?: number;
  /** Unix mode, such as that of a link. */
  readonly mode?: number;
  /** Writes the sizes and the offset as 64-bit numbers. */
  readonly isZip64?: boolean;
}

/** Writes a zip from its specification (APPNOTE 6.3.10), sound or not. */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const method = entry.method ?? 8;
    const data = method === 8 ? deflateRawSync(content) : content;
    const flags = (entry.isUtf8 ? 0x800 : 0) | (entry.isEncrypted ? 1 : 0);
    const size = entry.size ?? content.length;
    const checksum = entry.checksum ?? crc32(content);
    const isLong = entry.isZip64 ?? false;
    const common = (extraLength: number) => {
      const header = Buffer.alloc(26);
      header.writeUInt16LE(isLong ? 45 : 20, 0);
      header.writeUInt16LE(flags, 2);
      header.writeUInt16LE(method, 4);
      header.writeUInt32LE(checksum, 10);
      header.writeUInt32LE(isLong ? 0xffffffff : data.length, 14);
      header.writeUInt32LE(isLong ? 0xffffffff : size, 18);
      header.writeUInt16LE(name.length, 22);
      header.writeUInt16LE(extraLength, 24);
      return header;
    };
    const sizes = isLong ? [BigInt(size), BigInt(data.length)] : [];
    const localExtra = createExtra(sizes);
    const local = Buffer.concat([
      Buffer.from('PK\u0003\u0004'),
      common(localExtra.length),
      name,
      localExtra,
      data,
    ]);
    const extra = createExtra(isLong ? [...sizes, BigInt(offset)] : []);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((entry.mode ?? 0o100644) * 0x10000, 6);
    rest.writeUInt32LE(isLong ? 0xffffffff : offset, 10);
    const madeOnUnix = Buffer.from([20, 3]);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\u0001\u0002'),
        madeOnUnix,
        common(extra.length),
        rest,
        name,
        extra,
      ]),
    );
    locals.push(local);
    offset += local.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(entries.length % 0x10000, 8);
  end.writeUInt16LE(entries.length % 0x10000, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directoryBytes, end]);
}

/** The extra field for 64-bit numbers. */
function createExtra(numbers: readonly bigint[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + numbers.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(numbers.length * 8, 2);
  numbers.forEach((number, index) => extra.writeBigUInt64LE(number, 4 + index * 8));
  return extra;
}
