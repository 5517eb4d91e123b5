import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** Generates 256 random bits, in URL-safe base64. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Generates a numeric code to type by hand: 6 → '042137'. Guesses must be rate limited. */
export function generateCode(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('');
}

/** Hashes a secret for storage. It is random, so it needs no salt and no slow hash. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function deriveSecret(key: Uint8Array, from: string): string {
  return createHmac('sha256', key).update(from).digest('base64url');
}

export function timingSafeEqualText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
