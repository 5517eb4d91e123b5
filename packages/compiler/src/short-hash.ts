import { computeSha256 } from '@vitrine/project';

/** Returns 8 hex digits of the SHA-256 of a text, such as a component's path or its output. */
export function createShortHash(text: string): string {
  const bytes = computeSha256(new TextEncoder().encode(text)).slice(0, 4);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
