import { computeSha256 } from '@vitrine/project';

/** Computes the SHA-256 of an update as lowercase hex. Also works without a secure context. */
export async function computeChecksum(update: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(await digest(update));
}

async function digest(update: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  if (!subtle) return computeSha256(update);
  return new Uint8Array(await subtle.digest('SHA-256', update));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
