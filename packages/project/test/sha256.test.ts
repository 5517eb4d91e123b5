import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeSha256 } from '../src/sha256.ts';

const bytes = fc.uint8Array({ maxLength: 300 });
const expected = (input: Uint8Array) => createHash('sha256').update(input).digest('hex');

test('computes SHA-256 without crypto.subtle', () => {
  fc.assert(
    fc.property(bytes, (input) => {
      expect(Buffer.from(computeSha256(input)).toString('hex')).toBe(expected(input));
    }),
  );
  for (const length of [0, 55, 56, 63, 64, 65, 119, 120, 1_000_003]) {
    const input = new Uint8Array(length).fill(7);
    expect(Buffer.from(computeSha256(input)).toString('hex')).toBe(expected(input));
  }
});
