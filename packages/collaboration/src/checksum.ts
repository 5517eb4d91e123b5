import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/**
 * Computes the SHA-256 of an update as lowercase hex. Browsers have `crypto.subtle` only in secure contexts, and an
 * instance may be served over plain HTTP.
 */
export async function computeChecksum(update: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  return bytesToHex(
    subtle ? new Uint8Array(await subtle.digest('SHA-256', update)) : sha256(update),
  );
}
