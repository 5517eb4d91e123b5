import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** 256 bits that nobody guesses, safe in an address. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Digits to be typed by hand: 6 → '042137'. Guesses must be counted. */
export function newCode(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('');
}

/** What is stored of a secret somebody else holds. It is random, so no salt and no slow hash. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function deriveSecret(key: Uint8Array, from: string): string {
  return createHmac('sha256', key).update(from).digest('base64url');
}

export function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
