import { computeSha256 } from '@vitrine/project';

/** Eight hexadecimal digits that stand for a text: a component's path, or what it was compiled to. */
export function shortHash(text: string): string {
  const bytes = computeSha256(new TextEncoder().encode(text)).slice(0, 4);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
