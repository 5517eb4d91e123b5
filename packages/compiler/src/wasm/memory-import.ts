/** The memory import of a WebAssembly file (core specification, 5.3.8 and 5.5.5). */
interface MemoryImport {
  /** Index of the flags byte, with the bits "has a maximum" (1) and "is shared" (2). */
  flagsAt: number;
  flags: number;
  /** In pages of 64 KiB. */
  initial: number;
  maximum: number;
}

const importSection = 2;
const kinds = { function: 0, memory: 2 } as const;

/** Finds the memory import, reading only the imports. Throws if there is none with a maximum. */
export function findMemoryImport(bytes: Uint8Array): MemoryImport {
  const reader = createReader(bytes);
  while (reader.byte() !== importSection) reader.skip(reader.number());
  reader.number();
  for (let count = reader.number(); count > 0; count -= 1) {
    reader.skip(reader.number());
    reader.skip(reader.number());
    const kind = reader.byte();
    if (kind === kinds.memory) return readLimits(reader);
    if (kind !== kinds.function) break;
    reader.number();
  }
  throw new Error('the WebAssembly file imports no memory where one is expected');
}

function readLimits(reader: Reader): MemoryImport {
  const flagsAt = reader.at;
  const flags = reader.byte();
  if ((flags & 1) === 0) throw new Error('the imported memory has no maximum');
  return { flagsAt, flags, initial: reader.number(), maximum: reader.number() };
}

interface Reader {
  readonly at: number;
  byte(): number;
  /** An unsigned number in LEB128. */
  number(): number;
  skip(count: number): void;
}

/** Creates a reader that starts after the eight-byte header. */
function createReader(bytes: Uint8Array): Reader {
  let at = 8;
  const byte = () => {
    const value = bytes[at];
    if (value === undefined) throw new Error('the WebAssembly file ends too early');
    at += 1;
    return value;
  };
  return {
    get at() {
      return at;
    },
    byte,
    number() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const next = byte();
        value += (next & 0x7f) * 2 ** shift;
        if (next < 0x80) return value;
      }
    },
    skip(count) {
      at += count;
    },
  };
}
