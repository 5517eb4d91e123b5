import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import {
  createFile,
  createDocumentFromFiles,
  listFiles,
  readFiles,
  removeFile,
  renameFile,
  renameFiles,
  replaceFile,
  restoreFile,
} from '../src/document.ts';

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
}

function merge(...docs: Y.Doc[]): void {
  const updates = docs.map((doc) => Y.encodeStateAsUpdate(doc));
  for (const doc of docs) for (const update of updates) Y.applyUpdate(doc, update);
}

function idOf(doc: Y.Doc, path: string): string {
  const file = listFiles(doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`no file is shown as ${path}`);
  return file.id;
}

function type(doc: Y.Doc, path: string, at: number, text: string): void {
  listFiles(doc)
    .find((file) => file.path === path)
    ?.text.insert(at, text);
}

describe('a project document', () => {
  test('returns the files it was created from, sorted by path', () => {
    const doc = createDocumentFromFiles([
      ['style.css', 'p {}'],
      ['index.html', '<p>'],
    ]);
    expect([...readFiles(doc)]).toEqual([
      ['index.html', '<p>'],
      ['style.css', 'p {}'],
    ]);
  });

  const named = (count: number, content = ''): [string, string][] =>
    Array.from({ length: count }, (_, n) => [`${n}.txt`, content]);
  test.each([
    ['invalid_path', [['../a.txt', '']]],
    [
      'path_taken',
      [
        ['a.txt', ''],
        ['A.txt', ''],
      ],
    ],
    ['too_many_files', named(201)],
    ['file_too_large', [['a.txt', 'x'.repeat(1024 * 1024 + 1)]]],
    ['project_too_large', named(11, 'x'.repeat(1024 * 1024))],
  ] satisfies [string, [string, string][]][])('is rejected with %s', (code, files) => {
    expect(() => createDocumentFromFiles(files)).toThrow(expect.objectContaining({ code }));
  });

  test('normalizes text to what replicas and the database can store', () => {
    const doc = createDocumentFromFiles([['a.txt', 'a\r\nb\rc\0\ud800']]);
    expect(readFiles(copyOf(doc)).get('a.txt')).toBe('a\nb\nc\uFFFD\uFFFD');
    expect(readFiles(doc)).toEqual(readFiles(copyOf(doc)));
  });

  test('rejects a taken path, ignoring case, and stays unchanged', () => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    expect(() => createFile(doc, 'A.css', '2')).toThrow(
      expect.objectContaining({ code: 'path_taken' }),
    );
    createFile(doc, 'b.css', '');
    expect(() => renameFile(doc, idOf(doc, 'b.css'), 'a.CSS')).toThrow(
      expect.objectContaining({ code: 'path_taken' }),
    );
    expect([...readFiles(doc).keys()]).toEqual(['a.css', 'b.css']);
  });

  test('rejects files and projects over the size limits before they are added', () => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    const before = Y.encodeStateVector(doc);
    const tooLarge = 'x'.repeat(1024 * 1024 + 1);
    expect(() => createFile(doc, 'b.css', tooLarge)).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    );
    expect(Y.encodeStateVector(doc)).toEqual(before);
  });

  test('measures sizes in bytes, as the database does, not in characters', () => {
    const mebibyte = 'é'.repeat(512 * 1024);
    const files = Array.from({ length: 10 }, (_, index) => [`${index}.txt`, mebibyte] as const);
    const doc = createDocumentFromFiles(files);
    expect(() => createFile(doc, 'more.txt', 'x')).toThrow(
      expect.objectContaining({ code: 'project_too_large' }),
    );
    createFile(doc, 'empty.txt', '');
    expect(() => createFile(doc, 'large.txt', `${mebibyte}x`)).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    );
  });

  test('allows a rename that only changes the case of a path', () => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    renameFile(doc, idOf(doc, 'a.css'), 'A.css');
    expect([...readFiles(doc)]).toEqual([['A.css', '1']]);
  });

  test('renames several files at once, including swaps, or none of them', () => {
    const doc = createDocumentFromFiles([
      ['a.js', '1'],
      ['b.js', '2'],
      ['c.js', '3'],
    ]);
    const [a, b] = [idOf(doc, 'a.js'), idOf(doc, 'b.js')];
    renameFiles(
      doc,
      new Map([
        [a, 'b.js'],
        [b, 'a.js'],
      ]),
    );
    expect([...readFiles(doc)]).toEqual([
      ['a.js', '2'],
      ['b.js', '1'],
      ['c.js', '3'],
    ]);
    const onto = new Map([
      [a, 'lib/x.js'],
      [b, 'C.js'],
    ]);
    expect(() => renameFiles(doc, onto)).toThrow(expect.objectContaining({ code: 'path_taken' }));
    expect([...readFiles(doc).keys()]).toEqual(['a.js', 'b.js', 'c.js']);
  });

  test('ignores invalid entries that a peer added', () => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    const planted = new Y.Map<unknown>();
    planted.set('path', '../outside');
    planted.set('text', new Y.Text('x'));
    doc.getMap('files').set('planted', planted);
    doc.getMap('files').set('number', 7);
    expect([...readFiles(doc).keys()]).toEqual(['a.css']);
  });
});

describe('a replaced file', () => {
  test('is created if missing, and has the new text otherwise', () => {
    const doc = createDocumentFromFiles([['lock.json', '1']]);
    replaceFile(doc, 'LOCK.json', '2\r\n');
    replaceFile(doc, 'other.json', '3');
    expect([...readFiles(doc)]).toEqual([
      ['lock.json', '2\n'],
      ['other.json', '3'],
    ]);
  });

  test('causes no update when the text is the same', () => {
    const doc = createDocumentFromFiles([['lock.json', '1']]);
    const before = Y.encodeStateVector(doc);
    replaceFile(doc, 'lock.json', '1');
    expect(Y.encodeStateVector(doc)).toEqual(before);
  });

  test('is rejected when it is too large, and stays unchanged', () => {
    const doc = createDocumentFromFiles([['lock.json', '1']]);
    expect(() => replaceFile(doc, 'lock.json', 'x'.repeat(1024 * 1024 + 1))).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    );
    expect(readFiles(doc).get('lock.json')).toBe('1');
  });

  test('replaces its old size instead of adding to it', () => {
    const tenth = 'x'.repeat(1024 * 1024);
    const doc = createDocumentFromFiles(Array.from({ length: 10 }, (_, n) => [`${n}.txt`, tenth]));
    replaceFile(doc, '3.txt', 'y'.repeat(1024 * 1024));
    expect(readFiles(doc).get('3.txt')?.startsWith('y')).toBe(true);
  });

  test.each(['created', 'replaced'])('apart on two replicas, when %s, is one of the two', (how) => {
    const ours = createDocumentFromFiles(how === 'created' ? [] : [['lock.json', '{ "a": 1 }']]);
    const theirs = copyOf(ours);
    replaceFile(ours, 'lock.json', '{ "ours": 1 }');
    replaceFile(theirs, 'lock.json', '{ "theirs": 1 }');
    merge(ours, theirs);
    expect(readFiles(ours)).toEqual(readFiles(theirs));
    expect([['{ "ours": 1 }'], ['{ "theirs": 1 }']]).toContainEqual([...readFiles(ours).values()]);
  });

  test('gives way to a file that a user created with the same path', () => {
    const ours = createDocumentFromFiles([]);
    const theirs = copyOf(ours);
    replaceFile(ours, 'lock.json', 'written');
    createFile(theirs, 'lock.json', 'typed');
    merge(ours, theirs);
    expect(Object.fromEntries(readFiles(theirs))).toEqual({
      'lock.json': 'typed',
      'lock (2).json': 'written',
    });
  });

  test('can be created again after it was removed', () => {
    const doc = new Y.Doc();
    replaceFile(doc, 'lock.json', 'one');
    removeFile(doc, idOf(doc, 'lock.json'));
    replaceFile(doc, 'lock.json', 'two');
    expect([...readFiles(doc)]).toEqual([['lock.json', 'two']]);
  });
});

describe('replicas with concurrent changes', () => {
  test('keep both files created with the same path, the later one with the same number on each replica', () => {
    const ours = createDocumentFromFiles([]);
    const theirs = copyOf(ours);
    createFile(ours, 'css/a.css', 'ours');
    createFile(theirs, 'css/a.css', 'theirs');
    createFile(theirs, 'css/a (2).css', 'neither');
    merge(ours, theirs);
    expect(readFiles(ours)).toEqual(readFiles(theirs));
    expect([...readFiles(ours).keys()]).toEqual(['css/a (2).css', 'css/a (3).css', 'css/a.css']);
    expect([...readFiles(ours).values()].sort()).toEqual(['neither', 'ours', 'theirs']);
  });

  test.each([
    ['a', 'a (2)'],
    ['.env', '.env (2)'],
    ['x.tar.gz', 'x.tar (2).gz'],
    [`${'é'.repeat(125)}.css`, `${'é'.repeat(123)} (2).css`],
  ])('number %s as %s', (path, numbered) => {
    const ours = createDocumentFromFiles([[path, '']]);
    merge(ours, createDocumentFromFiles([[path, '']]));
    const theirs = createDocumentFromFiles([[path, '']]);
    Y.applyUpdate(theirs, Y.encodeStateAsUpdate(createDocumentFromFiles([[path, '']])));
    expect(new Set(readFiles(theirs).keys())).toEqual(new Set([path, numbered]));
  });

  test('merge a rename with an edit', () => {
    const ours = createDocumentFromFiles([['a.js', 'let a;']]);
    const theirs = copyOf(ours);
    renameFile(ours, idOf(ours, 'a.js'), 'b.js');
    type(theirs, 'a.js', 6, ' let b;');
    merge(ours, theirs);
    expect([...readFiles(theirs)]).toEqual([['b.js', 'let a; let b;']]);
    expect(readFiles(ours)).toEqual(readFiles(theirs));
  });

  test('keep a file that one replica removed and another edited, with the edit', () => {
    const ours = createDocumentFromFiles([['a.js', 'let a;']]);
    const theirs = copyOf(ours);
    removeFile(ours, idOf(ours, 'a.js'));
    type(theirs, 'a.js', 6, ' let b;');
    merge(ours, theirs);
    expect([...readFiles(ours)]).toEqual([['a.js', 'let a; let b;']]);
    expect(readFiles(theirs)).toEqual(readFiles(ours));
    removeFile(ours, idOf(ours, 'a.js'));
    merge(ours, theirs);
    expect(readFiles(theirs).size).toBe(0);
  });

  test('hide a removed file on each replica, free its path, and can restore it', () => {
    const ours = createDocumentFromFiles([['a.js', 'one']]);
    const theirs = copyOf(ours);
    const id = idOf(ours, 'a.js');
    removeFile(ours, id);
    createFile(ours, 'a.js', 'two');
    merge(ours, theirs);
    expect([...readFiles(theirs)]).toEqual([['a.js', 'two']]);
    restoreFile(theirs, id);
    merge(ours, theirs);
    expect([...readFiles(ours).keys()]).toEqual(['a (2).js', 'a.js']);
    expect([...readFiles(ours).values()].sort()).toEqual(['one', 'two']);
  });
});

type Step =
  | { kind: 'create' | 'rename' | 'replace'; replica: number; file: number; path: string }
  | { kind: 'remove'; replica: number; file: number }
  | { kind: 'insert' | 'delete'; replica: number; file: number; at: number }
  | { kind: 'deliver'; replica: number; update: number };

const replica = fc.nat(2);
const file = fc.nat(9);
const path = fc.constantFrom('a.css', 'A.css', 'a (2).css', 'b/a.css', 'index.html');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create', 'rename', 'replace'), replica, file, path }),
  fc.record({ kind: fc.constant('remove'), replica, file }),
  fc.record({ kind: fc.constantFrom('insert', 'delete'), replica, file, at: fc.nat(50) }),
  fc.record({ kind: fc.constantFrom('insert', 'delete'), replica, file, at: fc.nat(50) }),
  fc.record({ kind: fc.constant('deliver'), replica, update: fc.nat(200) }),
);

function take(doc: Y.Doc, step: Step, token: string): void {
  const files = listFiles(doc);
  if (step.kind === 'create') {
    if (!files.some(({ path }) => path.toLowerCase() === step.path.toLowerCase())) {
      createFile(doc, step.path, token);
    }
    return;
  }
  if (step.kind === 'replace') return replaceFile(doc, step.path, token);
  const target = step.kind === 'deliver' ? undefined : files[step.file % (files.length || 1)];
  if (!target || step.kind === 'deliver') return;
  if (step.kind === 'remove') removeFile(doc, target.id);
  if (step.kind === 'insert') target.text.insert(step.at % (target.text.length + 1), token);
  if (step.kind === 'delete' && target.text.length > 0) {
    target.text.delete(step.at % target.text.length, 1);
  }
  if (
    step.kind === 'rename' &&
    files.every(({ path }) => path.toLowerCase() !== step.path.toLowerCase())
  ) {
    renameFile(doc, target.id, step.path);
  }
}

test('replicas show the same files after any changes in any order of delivery', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.infiniteStream(fc.nat(10_000)),
      (steps, order) => {
        const docs = [0, 1, 2].map(() => new Y.Doc());
        const updates: Uint8Array[] = [];
        for (const doc of docs) {
          doc.on('update', (update: Uint8Array, origin) => {
            if (origin !== 'delivery') updates.push(update);
          });
        }
        steps.forEach((step, index) => {
          const doc = docs[step.replica];
          if (!doc) throw new Error('a step names a replica that is not there');
          if (step.kind !== 'deliver') return take(doc, step, `<${index}>`);
          const update = updates[step.update % (updates.length || 1)];
          if (update) Y.applyUpdate(doc, update, 'delivery');
        });
        for (const doc of docs) {
          const shuffled = updates
            .map((update) => ({ update, rank: order.next().value }))
            .sort((a, b) => a.rank - b.rank);
          for (const { update } of shuffled) Y.applyUpdate(doc, update, 'delivery');
        }
        const [first, ...others] = docs.map((doc) => [...readFiles(doc)]);
        for (const other of others) expect(other).toEqual(first);
        const paths = (first ?? []).map(([path]) => path.toLowerCase());
        expect(new Set(paths).size).toBe(paths.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('text typed concurrently with a removal is shown after the merge', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('remove', 'type', 'sync'), { maxLength: 20 }), (steps) => {
      const ours = createDocumentFromFiles([['a.js', '-']]);
      const theirs = copyOf(ours);
      const id = idOf(ours, 'a.js');
      let typedSinceSync = '';
      for (const [index, step] of steps.entries()) {
        if (step === 'remove') removeFile(ours, id);
        if (step === 'sync') {
          merge(ours, theirs);
          for (const doc of [ours, theirs]) {
            if (typedSinceSync) expect(readFiles(doc).get('a.js')).toContain(typedSinceSync);
          }
          typedSinceSync = '';
        }
        if (step === 'type' && readFiles(theirs).has('a.js')) {
          typedSinceSync = `<${index}>`;
          type(theirs, 'a.js', 1, typedSinceSync);
        }
      }
    }),
  );
});
