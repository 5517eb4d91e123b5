import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeChecksum } from '../src/checksum.ts';

test('the checksum with crypto.subtle is SHA-256', async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(await computeChecksum(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
});
