import {
  createDocumentFromFiles,
  toTextFiles,
  type AssetFile,
  type ProjectFile,
} from '@vitrine/project';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as Y from 'yjs';
import { compareFiles } from '../../app/workspace/history/project-history.ts';
import { onResumedEditing } from '../../app/workspace/history/resumed-editing.ts';
import { parseVersion } from '../../app/workspace/history/versions.ts';

const minuteMs = 60_000;
const png: AssetFile = { kind: 'asset', hash: 'a'.repeat(64), size: 4, mediaType: 'image/png' };

describe('editing is resumed', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  /** A document that was last edited this long ago. `resumed` counts the calls. */
  function openDocument(idleMs: number) {
    const doc = createDocumentFromFiles([['a.js', '']]);
    const calls: string[] = [];
    const type = () => doc.getText('typed').insert(0, 'x');
    const stop = onResumedEditing(doc, Date.now() - idleMs, () => calls.push('resumed'));
    return { doc, calls, type, stop };
  }

  test('by the first edit after a pause of ten minutes, not by those that follow', () => {
    const { calls, type } = openDocument(0);
    type();
    vi.setSystemTime(Date.now() + 9 * minuteMs);
    type();
    expect(calls).toEqual([]);
    vi.setSystemTime(Date.now() + 10 * minuteMs);
    type();
    type();
    expect(calls).toEqual(['resumed']);
  });

  test('by the first edit of a visit, if the last one was long before', () => {
    const long = openDocument(10 * minuteMs);
    long.type();
    expect(long.calls).toEqual(['resumed']);
    const short = openDocument(minuteMs);
    short.type();
    expect(short.calls).toEqual([]);
  });

  test('not by the edits of others or during them, nor after it is no longer watched', () => {
    const { doc, calls, type, stop } = openDocument(20 * minuteMs);
    const other = new Y.Doc();
    other.getText('typed').insert(0, 'theirs');
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(other));
    doc.transact(() => undefined);
    type();
    expect(calls).toEqual([]);
    stop();
    vi.setSystemTime(Date.now() + 20 * minuteMs);
    type();
    expect(calls).toEqual([]);
  });
});

test('compared files are those added, changed and removed, texts and assets', () => {
  const before = new Map<string, ProjectFile>([
    ...toTextFiles([
      ['a.js', '1'],
      ['b.js', '2'],
      ['same.js', '3'],
    ]),
    ['same.png', png],
    ['z.png', png],
  ]);
  const after = new Map<string, ProjectFile>([
    ...toTextFiles([
      ['b.js', '2!'],
      ['c.js', '4'],
      ['same.js', '3'],
    ]),
    ['same.png', png],
    ['z.png', { ...png, hash: 'b'.repeat(64) }],
  ]);
  const differences = compareFiles(before, after).map(({ path, kind }) => [path, kind]);
  expect(differences).toEqual([
    ['a.js', 'removed'],
    ['b.js', 'changed'],
    ['c.js', 'added'],
    ['z.png', 'changed'],
  ]);
});

test('a version of a deleted account has no author, and an unknown answer is none', () => {
  const row = { number: 3, reason: 'named', message: 'Ready', created_at: '2026-11-27T10:00:00Z' };
  const answer = { ...row, revision: 7, author: null, files: [{ path: 'a.js', content: '1' }] };
  expect(parseVersion(answer)).toEqual({
    number: 3,
    reason: 'named',
    message: 'Ready',
    createdAt: '2026-11-27T10:00:00Z',
    author: null,
    revision: 7,
    files: toTextFiles([['a.js', '1']]),
  });
  expect(parseVersion(null)).toBeUndefined();
  expect(parseVersion({ ...answer, reason: 'unknown' })).toBeUndefined();
});
