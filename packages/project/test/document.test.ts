import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import {
  createFile,
  createDocumentFromFiles,
  listFiles,
  listTextFiles,
  readFiles,
  removeFile,
  renameFile,
  renameFiles,
  replaceFile,
  restoreFile,
} from '../src/document.ts';
import { getTexts, type AssetFile, type FileContent } from '../src/files.ts';

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
}

function merge(...docs: Y.Doc[]): void {
  const updates = docs.map((doc) => Y.encodeStateAsUpdate(doc));
  for (const doc of docs) for (const update of updates) Y.applyUpdate(doc, update);
}

function readTexts(doc: Y.Doc): Map<string, string> {
  return getTexts(readFiles(doc));
}

function createAsset(digit: string, size = 4, mediaType = 'image/png'): AssetFile {
  return { kind: 'asset', hash: digit.repeat(64), size, mediaType };
}

function idOf(doc: Y.Doc, path: string): string {
  const file = listFiles(doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`no file is shown as ${path}`);
  return file.id;
}

function type(doc: Y.Doc, path: string, at: number, text: string): void {
  listTextFiles(doc)
    .find((file) => file.path === path)
    ?.text.insert(at, text);
}

describe('a project document', () => {
  test('returns the files it was created from, sorted by path', () => {
    const doc = createDocumentFromFiles([
      ['style.css', 'p {}'],
      ['index.html', '<p>'],
    ]);
    expect([...readTexts(doc)]).toEqual([
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
    ['too_many_files', named(1_001)],
    ['file_too_large', [['a.txt', 'x'.repeat(1024 * 1024 + 1)]]],
    ['project_too_large', named(11, 'x'.repeat(1024 * 1024))],
    ['asset_too_large', [['a.png', createAsset('a', 10 * 1024 * 1024 + 1)]]],
    ['asset_type_refused', [['a.html', createAsset('a', 4, 'application/xhtml+xml')]]],
    [
      'assets_too_large',
      [
        ...Array.from({ length: 10 }, (_, n): [string, FileContent] => [
          `${n}.png`,
          createAsset(`${n}`, 10 * 1024 * 1024),
        ]),
        ['more.png', createAsset('a', 1)],
      ],
    ],
  ] satisfies [string, [string, FileContent][]][])('is rejected with %s', (code, files) => {
    expect(() => createDocumentFromFiles(files)).toThrow(expect.objectContaining({ code }));
  });

  test('normalizes text to what replicas and the database can store', () => {
    const doc = createDocumentFromFiles([['a.txt', 'a\r\nb\rc\0\ud800']]);
    expect(readTexts(copyOf(doc)).get('a.txt')).toBe('a\nb\nc\uFFFD\uFFFD');
    expect(readTexts(doc)).toEqual(readTexts(copyOf(doc)));
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
    expect([...readTexts(doc).keys()]).toEqual(['a.css', 'b.css']);
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
    expect([...readTexts(doc)]).toEqual([['A.css', '1']]);
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
    expect([...readTexts(doc)]).toEqual([
      ['a.js', '2'],
      ['b.js', '1'],
      ['c.js', '3'],
    ]);
    const onto = new Map([
      [a, 'lib/x.js'],
      [b, 'C.js'],
    ]);
    expect(() => renameFiles(doc, onto)).toThrow(expect.objectContaining({ code: 'path_taken' }));
    expect([...readTexts(doc).keys()]).toEqual(['a.js', 'b.js', 'c.js']);
  });

  test('ignores invalid entries that a peer added', () => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    const planted = new Y.Map<unknown>();
    planted.set('path', '../outside');
    planted.set('text', new Y.Text('x'));
    doc.getMap('files').set('planted', planted);
    doc.getMap('files').set('number', 7);
    expect([...readTexts(doc).keys()]).toEqual(['a.css']);
  });
});

describe('a replaced file', () => {
  test('is created if missing, and has the new text otherwise', () => {
    const doc = createDocumentFromFiles([['lock.json', '1']]);
    replaceFile(doc, 'LOCK.json', '2\r\n');
    replaceFile(doc, 'other.json', '3');
    expect([...readTexts(doc)]).toEqual([
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
    expect(readTexts(doc).get('lock.json')).toBe('1');
  });

  test('replaces its old size instead of adding to it', () => {
    const tenth = 'x'.repeat(1024 * 1024);
    const doc = createDocumentFromFiles(Array.from({ length: 10 }, (_, n) => [`${n}.txt`, tenth]));
    replaceFile(doc, '3.txt', 'y'.repeat(1024 * 1024));
    expect(readTexts(doc).get('3.txt')?.startsWith('y')).toBe(true);
  });

  test.each(['created', 'replaced'])('apart on two replicas, when %s, is one of the two', (how) => {
    const ours = createDocumentFromFiles(how === 'created' ? [] : [['lock.json', '{ "a": 1 }']]);
    const theirs = copyOf(ours);
    replaceFile(ours, 'lock.json', '{ "ours": 1 }');
    replaceFile(theirs, 'lock.json', '{ "theirs": 1 }');
    merge(ours, theirs);
    expect(readTexts(ours)).toEqual(readTexts(theirs));
    expect([['{ "ours": 1 }'], ['{ "theirs": 1 }']]).toContainEqual([...readTexts(ours).values()]);
  });

  test('gives way to a file that a user created with the same path', () => {
    const ours = createDocumentFromFiles([]);
    const theirs = copyOf(ours);
    replaceFile(ours, 'lock.json', 'written');
    createFile(theirs, 'lock.json', 'typed');
    merge(ours, theirs);
    expect(Object.fromEntries(readTexts(theirs))).toEqual({
      'lock.json': 'typed',
      'lock (2).json': 'written',
    });
  });

  test('leaves another file alone that was created at its path and renamed', () => {
    const doc = new Y.Doc();
    replaceFile(doc, 'a.svg', createAsset('a'));
    renameFile(doc, idOf(doc, 'a.svg'), 'b.svg');
    replaceFile(doc, 'a.svg', 'one');
    replaceFile(doc, 'a.svg', createAsset('c'));
    expect(Object.fromEntries(readFiles(doc))).toEqual({
      'a.svg': createAsset('c'),
      'b.svg': createAsset('a'),
    });
  });

  test('can be created again after it was removed', () => {
    const doc = new Y.Doc();
    replaceFile(doc, 'lock.json', 'one');
    removeFile(doc, idOf(doc, 'lock.json'));
    replaceFile(doc, 'lock.json', 'two');
    expect([...readTexts(doc)]).toEqual([['lock.json', 'two']]);
  });
});

describe('an asset', () => {
  const png = createAsset('a');

  test('is listed beside texts, and has its path, hash, size and media type on every replica', () => {
    const doc = createDocumentFromFiles([
      ['index.html', '<img src="a.png">'],
      ['a.png', png],
    ]);
    createFile(doc, 'b.wasm', createAsset('b', 8, 'application/wasm'));
    expect([...readFiles(copyOf(doc))]).toEqual([
      ['a.png', png],
      ['b.wasm', createAsset('b', 8, 'application/wasm')],
      ['index.html', { kind: 'text', text: '<img src="a.png">' }],
    ]);
    expect(listTextFiles(doc).map(({ path }) => path)).toEqual(['index.html']);
  });

  test('counts as a file, but not as text', () => {
    const doc = createDocumentFromFiles(
      Array.from({ length: 10 }, (_, n) => [`${n}.txt`, 'x'.repeat(1024 * 1024)]),
    );
    createFile(doc, 'a.png', createAsset('a', 10 * 1024 * 1024));
    expect(() => createFile(doc, 'b.txt', 'x')).toThrow(
      expect.objectContaining({ code: 'project_too_large' }),
    );
    const full = createDocumentFromFiles(
      Array.from({ length: 1_000 }, (_, n) => [`${n}.png`, createAsset('a', 1)]),
    );
    expect(() => createFile(full, 'more.png', png)).toThrow(
      expect.objectContaining({ code: 'too_many_files' }),
    );
  });

  test('is rejected above the size limits, and the document stays unchanged', () => {
    const tenth = 10 * 1024 * 1024;
    const doc = createDocumentFromFiles(
      Array.from({ length: 9 }, (_, n) => [`${n}.png`, createAsset(`${n}`, tenth)]),
    );
    createFile(doc, '9.png', createAsset('9', tenth));
    const before = Y.encodeStateVector(doc);
    expect(() => createFile(doc, 'a.png', createAsset('a', 1))).toThrow(
      expect.objectContaining({ code: 'assets_too_large' }),
    );
    expect(() => replaceFile(doc, '9.png', createAsset('a', tenth + 1))).toThrow(
      expect.objectContaining({ code: 'asset_too_large' }),
    );
    expect(Y.encodeStateVector(doc)).toEqual(before);
    replaceFile(doc, '9.png', createAsset('a', tenth));
    expect(readFiles(doc).get('9.png')).toEqual(createAsset('a', tenth));
  });

  test('is renamed, removed and restored like a text', () => {
    const doc = createDocumentFromFiles([['a.png', png]]);
    const id = idOf(doc, 'a.png');
    renameFile(doc, id, 'img/a.png');
    removeFile(doc, id);
    expect(listFiles(doc)).toEqual([]);
    restoreFile(doc, id);
    expect([...readFiles(doc)]).toEqual([['img/a.png', png]]);
  });

  test('replaces an asset in its place, and a text by hiding it', () => {
    const doc = createDocumentFromFiles([
      ['a.png', png],
      ['b.svg', '<svg/>'],
    ]);
    const [a, b] = [idOf(doc, 'a.png'), idOf(doc, 'b.svg')];
    replaceFile(doc, 'a.png', createAsset('c'));
    replaceFile(doc, 'b.svg', createAsset('d', 9, 'image/svg+xml'));
    expect([...readFiles(doc)]).toEqual([
      ['a.png', createAsset('c')],
      ['b.svg', createAsset('d', 9, 'image/svg+xml')],
    ]);
    expect(idOf(doc, 'a.png')).toBe(a);
    expect(idOf(doc, 'b.svg')).not.toBe(b);
    replaceFile(doc, 'b.svg', '<svg></svg>');
    expect(readTexts(doc)).toEqual(new Map([['b.svg', '<svg></svg>']]));
  });

  test('causes no update when it is the same', () => {
    const doc = createDocumentFromFiles([['a.png', png]]);
    const before = Y.encodeStateVector(doc);
    replaceFile(doc, 'a.png', { ...png });
    expect(Y.encodeStateVector(doc)).toEqual(before);
  });

  test('is shown again if it was replaced concurrently with its removal', () => {
    const ours = createDocumentFromFiles([['a.png', png]]);
    const theirs = copyOf(ours);
    removeFile(ours, idOf(ours, 'a.png'));
    replaceFile(theirs, 'a.png', createAsset('c'));
    merge(ours, theirs);
    expect([...readFiles(ours)]).toEqual([['a.png', createAsset('c')]]);
    expect(readFiles(theirs)).toEqual(readFiles(ours));
  });

  test('leaves a text it replaced to those who edited it concurrently', () => {
    const ours = createDocumentFromFiles([['a.svg', '<svg/>']]);
    const theirs = copyOf(ours);
    replaceFile(ours, 'a.svg', createAsset('d', 9, 'image/svg+xml'));
    type(theirs, 'a.svg', 0, '<!-- theirs -->');
    merge(ours, theirs);
    expect(Object.fromEntries(readFiles(ours))).toEqual({
      'a.svg': { kind: 'text', text: '<!-- theirs --><svg/>' },
      'a (2).svg': createAsset('d', 9, 'image/svg+xml'),
    });
  });

  test.each([
    ['no object', 7],
    ['a hash that isn’t one', { hash: '../../secret', size: 4, mediaType: 'image/png' }],
    ['a negative size', { ...png, size: -1 }],
    ['a size that isn’t whole', { ...png, size: 1.5 }],
    ['a size above the limit', { ...png, size: 10 * 1024 * 1024 + 1 }],
    ['a header in its media type', { ...png, mediaType: 'image/png\r\nSet-Cookie: a=b' }],
    ['a media type that isn’t allowed', { ...png, mediaType: 'application/javascript' }],
    ['no media type', { hash: png.hash, size: 4 }],
  ])('is ignored if a peer wrote %s', (_, asset) => {
    const doc = createDocumentFromFiles([['a.css', '1']]);
    const planted = new Y.Map<unknown>();
    planted.set('path', 'a.png');
    planted.set('asset', asset);
    doc.getMap('files').set('planted', planted);
    expect([...readFiles(doc).keys()]).toEqual(['a.css']);
  });

  test('is a text if a peer wrote both', () => {
    const doc = createDocumentFromFiles([]);
    const planted = new Y.Map<unknown>();
    planted.set('path', 'a.svg');
    planted.set('text', new Y.Text('<svg/>'));
    planted.set('asset', { hash: png.hash, size: 4, mediaType: 'image/png' });
    doc.getMap('files').set('planted', planted);
    expect([...readFiles(doc)]).toEqual([['a.svg', { kind: 'text', text: '<svg/>' }]]);
  });
});

/**
 * A state as the first builds wrote it, with the files "index.html" and "lib/a.js" and the removed
 * file "old.txt".
 */
const firstFormatState =
  'AQ2dxv6PCgAnAQVmaWxlcxMwbXd4Z2o1aDVidWkyc2VneG0yASgAncb+jwoABHBhdGgBdwppbmRleC5odG1sJwCdxv6PCgAEdGV4dAIEAJ3G/o8KAg48aDE+SGVsbG88L2gxPicBBWZpbGVzEzBtd3hnajVoYmgyMW5leDE5ajkBKACdxv6PChEEcGF0aAF3CGxpYi9hLmpzJwCdxv6PChEEdGV4dAIEAJ3G/o8KEwZsZXQgYTsnAQVmaWxlcxMwbXd4Z2o1aGNjaW1oNmo0aXc2ASgAncb+jwoaBHBhdGgBdwdvbGQudHh0JwCdxv6PChoEdGV4dAIEAJ3G/o8KHANvbGQoAJ3G/o8KGgdyZW1vdmVkAX0DAA==';

test('a document that an older build wrote has the same files, and takes assets', () => {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, Buffer.from(firstFormatState, 'base64'));
  expect(Object.fromEntries(readTexts(doc))).toEqual({
    'index.html': '<h1>Hello</h1>',
    'lib/a.js': 'let a;',
  });
  createFile(doc, 'old.txt', createAsset('a', 4, 'text/plain'));
  expect([...readFiles(doc).keys()]).toEqual(['index.html', 'lib/a.js', 'old.txt']);
});

test('a build that knows no assets sees the texts of a document with assets, and keeps both', () => {
  const doc = createDocumentFromFiles([
    ['index.html', '<img src="a.png">'],
    ['a.png', createAsset('a')],
  ]);
  // The older build lists entries that have a `Y.Text` and edits those.
  const older = copyOf(doc);
  for (const entry of older.getMap('files').values()) {
    if (!(entry instanceof Y.Map)) throw new Error('an entry is not a map');
    const text: unknown = entry.get('text');
    if (text instanceof Y.Text) text.insert(0, '<p>');
  }
  merge(doc, older);
  expect(Object.fromEntries(readFiles(doc))).toEqual({
    'index.html': { kind: 'text', text: '<p><img src="a.png">' },
    'a.png': createAsset('a'),
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
    expect(readTexts(ours)).toEqual(readTexts(theirs));
    expect([...readTexts(ours).keys()]).toEqual(['css/a (2).css', 'css/a (3).css', 'css/a.css']);
    expect([...readTexts(ours).values()].sort()).toEqual(['neither', 'ours', 'theirs']);
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
    expect(new Set(readTexts(theirs).keys())).toEqual(new Set([path, numbered]));
  });

  test('merge a rename with an edit', () => {
    const ours = createDocumentFromFiles([['a.js', 'let a;']]);
    const theirs = copyOf(ours);
    renameFile(ours, idOf(ours, 'a.js'), 'b.js');
    type(theirs, 'a.js', 6, ' let b;');
    merge(ours, theirs);
    expect([...readTexts(theirs)]).toEqual([['b.js', 'let a; let b;']]);
    expect(readTexts(ours)).toEqual(readTexts(theirs));
  });

  test('keep a file that one replica removed and another edited, with the edit', () => {
    const ours = createDocumentFromFiles([['a.js', 'let a;']]);
    const theirs = copyOf(ours);
    removeFile(ours, idOf(ours, 'a.js'));
    type(theirs, 'a.js', 6, ' let b;');
    merge(ours, theirs);
    expect([...readTexts(ours)]).toEqual([['a.js', 'let a; let b;']]);
    expect(readTexts(theirs)).toEqual(readTexts(ours));
    removeFile(ours, idOf(ours, 'a.js'));
    merge(ours, theirs);
    expect(readTexts(theirs).size).toBe(0);
  });

  test('hide a removed file on each replica, free its path, and can restore it', () => {
    const ours = createDocumentFromFiles([['a.js', 'one']]);
    const theirs = copyOf(ours);
    const id = idOf(ours, 'a.js');
    removeFile(ours, id);
    createFile(ours, 'a.js', 'two');
    merge(ours, theirs);
    expect([...readTexts(theirs)]).toEqual([['a.js', 'two']]);
    restoreFile(theirs, id);
    merge(ours, theirs);
    expect([...readTexts(ours).keys()]).toEqual(['a (2).js', 'a.js']);
    expect([...readTexts(ours).values()].sort()).toEqual(['one', 'two']);
  });
});

type Step =
  | { kind: 'create' | 'rename' | 'replace'; replica: number; file: number; path: string }
  | { kind: 'create asset' | 'replace asset'; replica: number; path: string; digit: string }
  | { kind: 'remove'; replica: number; file: number }
  | { kind: 'insert' | 'delete'; replica: number; file: number; at: number }
  | { kind: 'deliver'; replica: number; update: number };

const replica = fc.nat(2);
const file = fc.nat(9);
const path = fc.constantFrom('a.css', 'A.css', 'a (2).css', 'b/a.css', 'index.html');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create', 'rename', 'replace'), replica, file, path }),
  fc.record({ kind: fc.constant('remove'), replica, file }),
  fc.record({
    kind: fc.constantFrom('create asset', 'replace asset'),
    replica,
    path,
    digit: fc.constantFrom('a', 'b', 'c'),
  }),
  fc.record({ kind: fc.constantFrom('insert', 'delete'), replica, file, at: fc.nat(50) }),
  fc.record({ kind: fc.constantFrom('insert', 'delete'), replica, file, at: fc.nat(50) }),
  fc.record({ kind: fc.constant('deliver'), replica, update: fc.nat(200) }),
);

function take(doc: Y.Doc, step: Step, token: string): void {
  const files = listFiles(doc);
  const isFree = (path: string) =>
    files.every((file) => file.path.toLowerCase() !== path.toLowerCase());
  if ('digit' in step) {
    const asset = createAsset(step.digit);
    if (step.kind === 'replace asset') replaceFile(doc, step.path, asset);
    else if (isFree(step.path)) createFile(doc, step.path, asset);
    return;
  }
  if (step.kind === 'create') return void (isFree(step.path) && createFile(doc, step.path, token));
  if (step.kind === 'replace') return replaceFile(doc, step.path, token);
  const target = step.kind === 'deliver' ? undefined : files[step.file % (files.length || 1)];
  if (!target || step.kind === 'deliver') return;
  if (step.kind === 'remove') removeFile(doc, target.id);
  const text = target.kind === 'text' ? target.text : undefined;
  if (step.kind === 'insert') text?.insert(step.at % (text.length + 1), token);
  if (step.kind === 'delete' && text && text.length > 0) text.delete(step.at % text.length, 1);
  if (step.kind === 'rename' && isFree(step.path)) renameFile(doc, target.id, step.path);
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
            if (typedSinceSync) expect(readTexts(doc).get('a.js')).toContain(typedSinceSync);
          }
          typedSinceSync = '';
        }
        if (step === 'type' && readTexts(theirs).has('a.js')) {
          typedSinceSync = `<${index}>`;
          type(theirs, 'a.js', 1, typedSinceSync);
        }
      }
    }),
  );
});
