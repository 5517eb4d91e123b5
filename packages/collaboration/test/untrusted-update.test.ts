import { createDocumentFromFiles, readFiles } from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { computeChecksum } from '../src/checksum.ts';
import { applyUntrustedUpdate } from '../src/untrusted-update.ts';

async function admit(doc: Y.Doc, update: Uint8Array): Promise<string | undefined> {
  const bytes = Uint8Array.from(update);
  return applyUntrustedUpdate(doc, { update: bytes, sha256: await computeChecksum(bytes) }, 'test');
}

function updateOf(edit: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  edit(doc);
  return Y.encodeStateAsUpdate(doc);
}

describe('validation of updates', () => {
  test('accepts the content types of project documents', async () => {
    const doc = new Y.Doc();
    const made = createDocumentFromFiles([['a.js', 'let a;']]);
    expect(await admit(doc, Y.encodeStateAsUpdate(made))).toBeUndefined();
    expect(readFiles(doc)).toEqual(readFiles(made));
  });

  test('rejects seven bytes that would make Yjs allocate hundreds of megabytes', async () => {
    const bomb = Uint8Array.from(Buffer.from('AcCU3g8FAA==', 'base64'));
    const doc = new Y.Doc();
    const before = process.memoryUsage();
    for (let round = 0; round < 100; round++) {
      expect(await admit(doc, bomb)).toMatch(/can’t be decoded/);
    }
    const after = process.memoryUsage();
    expect(after.heapTotal + after.external - before.heapTotal - before.external).toBeLessThan(5e6);
  });

  test('rejects an update with a wrong checksum', async () => {
    const update = Uint8Array.from(updateOf((doc) => doc.getText('a').insert(0, 'x')));
    const sha256 = await computeChecksum(Uint8Array.of(1));
    expect(await applyUntrustedUpdate(new Y.Doc(), { update, sha256 }, 'test')).toMatch(/checksum/);
  });

  test('rejects an update over the size limit', async () => {
    const update = updateOf((doc) => doc.getText('a').insert(0, 'x'.repeat(2 * 1024 * 1024)));
    expect(await admit(new Y.Doc(), update)).toMatch(/larger/);
  });

  test.each([
    ['an embedded object', (doc: Y.Doc) => doc.getText('a').insertEmbed(0, { image: 'x' })],
    ['formatting', (doc: Y.Doc) => doc.getText('a').insert(0, 'x', { bold: true })],
    ['another document', (doc: Y.Doc) => doc.getMap('a').set('b', new Y.Doc())],
    ['a list', (doc: Y.Doc) => doc.getMap('a').set('b', new Y.Array())],
    ['binary', (doc: Y.Doc) => doc.getMap('a').set('b', Uint8Array.of(1))],
  ])('rejects %s, which project documents never contain', async (_what, edit) => {
    const doc = new Y.Doc();
    expect(await admit(doc, updateOf(edit))).toMatch(/it contains Content/);
    expect(doc.store.clients.size).toBe(0);
  });

  test('never throws, for random bytes', async () => {
    const original = Y.encodeStateAsUpdate(createDocumentFromFiles([['a.js', 'let a;']]));
    await fc.assert(
      fc.asyncProperty(fc.nat(original.length - 1), fc.nat(255), async (at, byte) => {
        const changed = original.slice();
        changed[at] = byte;
        await admit(new Y.Doc(), changed);
      }),
      { numRuns: 500 },
    );
  });
});
