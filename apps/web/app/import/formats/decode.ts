/*
 * Decoders for code in links. A link is as long as its sender likes and may decompress to a million
 * times its length, so each decoder stops at a limit instead of looking at the result.
 */
import { limits, VitrineError } from '@vitrine/project';

/** Characters or bytes that a link decodes to: the texts of the largest project, and their paths. */
export const maxDecoded = limits.projectMaxBytes + 1024 * 1024;

/** Base64 in either alphabet, with or without padding → bytes. Throws `link_damaged`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  try {
    return Uint8Array.from(atob(plain), (char) => char.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) throw damaged(error);
    throw error;
  }
}

/**
 * Decompresses bytes to UTF-8 text. Rejects with `link_damaged`, or `project_too_large` past
 * `maxDecoded` bytes.
 */
export async function decompress(
  bytes: Uint8Array<ArrayBuffer>,
  format: CompressionFormat,
): Promise<string> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.length;
      if (size > maxDecoded) {
        await reader.cancel();
        throw new VitrineError('project_too_large', 'a link that decompresses to too much');
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // Bytes that aren't compressed, or aren't UTF-8 once they're decompressed.
    if (error instanceof TypeError) throw damaged(error);
    throw error;
  }
}

const lzAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Values of the characters in which links write lz-string's 6-bit units, in all its alphabets. */
const lzValues: ReadonlyMap<string, number> = new Map([
  ...Array.from(lzAlphabet, (char, value): [string, number] => [char, value]),
  ['+', 62],
  ['-', 63],
  // Queries decode "+" to a space.
  [' ', 62],
  ['/', 63],
  ['_', 63],
]);

/** What a code of lz-string's stream means, other than an entry of the dictionary. */
const lzCodes = { char8: 0, char16: 1, end: 2 } as const;

interface LzOptions {
  /** Whether "-" stands for "+", as in Base64 for URLs, not for "/". */
  readonly isBase64Url?: boolean;
}

/**
 * Decompresses what lz-string's `compressToBase64` or `compressToEncodedURIComponent` has made. The
 * format is LZ78: codes of a growing number of bits, lowest bit first, refer to a dictionary, or
 * announce a new character of 8 or 16 bits. The library can't be stopped at a size, to which this
 * format grows with the square of its length. Throws `link_damaged`, or `project_too_large` past
 * `maxDecoded` characters.
 */
export function decompressLz(compressed: string, { isBase64Url = false }: LzOptions = {}): string {
  let at = 0;
  let unit = 0;
  let mask = 0;
  const readBits = (count: number): number => {
    let bits = 0;
    for (let index = 0; index < count; index++) {
      if (mask === 0) {
        const char = compressed[at++] ?? '';
        const value = isBase64Url && char === '-' ? 62 : lzValues.get(char);
        if (value === undefined) throw damaged();
        unit = value;
        mask = 32;
      }
      if (unit & mask) bits += 2 ** index;
      mask >>= 1;
    }
    return bits;
  };

  const entries: string[] = ['', '', ''];
  let width = 2;
  /** Entries until codes get one bit longer. */
  let room = 1;
  const add = (entry: string) => {
    entries.push(entry);
    room -= 1;
    if (room === 0) {
      room = 2 ** width;
      width += 1;
    }
  };
  const parts: string[] = [];
  let size = 0;
  let last: string | undefined;
  for (;;) {
    let code = readBits(width);
    if (code === lzCodes.end) return parts.join('');
    if (code === lzCodes.char8 || code === lzCodes.char16) {
      entries.push(String.fromCharCode(readBits(code === lzCodes.char8 ? 8 : 16)));
      code = entries.length - 1;
      // The first character fills the dictionary of 2-bit codes up.
      if (last === undefined) width = 3;
      room = last === undefined ? 4 : room - 1;
      if (room === 0) {
        room = 2 ** width;
        width += 1;
      }
    }
    const isNext = code === entries.length && last !== undefined;
    const entry = isNext ? `${last}${last?.[0]}` : code > lzCodes.end ? entries[code] : undefined;
    if (entry === undefined) throw damaged();
    size += entry.length;
    if (size > maxDecoded) throw new VitrineError('project_too_large', 'a link of too much code');
    parts.push(entry);
    if (last !== undefined) add(`${last}${entry[0]}`);
    last = entry;
  }
}

/** Parses the JSON of a link. Throws `link_damaged`. */
export function parseLinkJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(error);
    throw error;
  }
}

export function damaged(cause?: unknown): VitrineError {
  return new VitrineError('link_damaged', 'not what its address says', { cause });
}
