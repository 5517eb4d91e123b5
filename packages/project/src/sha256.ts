/*
 * SHA-256 (FIPS 180-4, section 6.2) in plain JavaScript, for pages without `crypto.subtle`. Browsers
 * provide it only in secure contexts, and an instance may be served over plain HTTP.
 */

const roundConstants = fractionalBits(64, Math.cbrt);
const initialHash = fractionalBits(8, Math.sqrt);

/** Computes the SHA-256 digest (32 bytes) of these bytes. */
export function computeSha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const hash = initialHash.slice();
  const wholeBytes = bytes.length - (bytes.length % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset < wholeBytes; offset += 64) mixBlock(hash, view, offset);
  const tail = paddedTail(bytes, wholeBytes);
  for (let offset = 0; offset < tail.byteLength; offset += 64) mixBlock(hash, tail, offset);
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/** Final blocks: the bytes after the last whole block, a one bit, zeros, and the length in bits. */
function paddedTail(bytes: Uint8Array, from: number): DataView {
  const rest = bytes.subarray(from);
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setBigUint64(tail.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mixBlock(hash: Uint32Array, block: DataView, offset: number): void {
  const words = expandBlock(block, offset);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let round = 0; round < 64; round++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + big1 + choice + at(roundConstants, round) + at(words, round)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (big0 + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = at(hash, index) + word;
  });
}

function expandBlock(block: DataView, offset: number): Uint32Array {
  const words = new Uint32Array(64);
  for (let index = 0; index < 16; index++) words[index] = block.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = at(words, index - 15);
    const late = at(words, index - 2);
    const small0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const small1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = at(words, index - 16) + small0 + at(words, index - 7) + small1;
  }
  return words;
}

/**
 * First 32 bits of the fractional part of `root(prime)`, for the first `count` primes: FIPS 180-4,
 * 4.2.2.
 */
function fractionalBits(count: number, root: (prime: number) => number): Uint32Array {
  const bits = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    if (isPrime(candidate)) bits[found++] = (root(candidate) % 1) * 2 ** 32;
  }
  return bits;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
    if (candidate % divisor === 0) return false;
  }
  return true;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
