import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Returns 8 hex digits of the SHA-256 of a text, such as a component's path or its output. */
export function createShortHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 8);
}
