import {
  createFile,
  createDocumentFromFiles,
  listFiles,
  listTextFiles,
  readFiles,
  removeFile,
  replaceFile,
  restoreFile,
  toTextFiles,
  type AssetFile,
  type FileChanges,
  type ProjectFile,
} from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { FileOperations } from '../../app/workspace/tree/file-operations.ts';
import { ProjectText } from '../../app/workspace/code/project-text.ts';
import { openUnsavedCopy } from '../../app/workspace/saving/unsaved-copy.ts';

const start = [
  ['index.html', '<h1>Hello</h1>'],
  ['script.js', 'let a = 1;'],
] as const;

function open() {
  const doc = createDocumentFromFiles(start);
  const renames: string[] = [];
  const replaced: string[] = [];
  const changes: FileChanges[] = [];
  const text = new ProjectText(doc, {
    onChange: (change) => changes.push(change),
    onRename: (from, to) => renames.push(`${from} → ${to}`),
    onReplace: (path) => replaced.push(path),
  });
  return { doc, text, renames, replaced, changes };
}

const png: AssetFile = { kind: 'asset', hash: 'a'.repeat(64), size: 4, mediaType: 'image/png' };

/** Copies the texts, so that they can be compared whatever holds them. */
const copyTexts = (text: ProjectText) => new Map(text.files.get());

function applyChanges(files: Map<string, ProjectFile>, { changed, removed }: FileChanges): void {
  for (const path of removed) files.delete(path);
  for (const [path, file] of changed) files.set(path, file);
}

describe('a project’s text', () => {
  test('reports a change before the observers of its texts are called', () => {
    const { text, changes } = open();
    const reported: number[] = [];
    text.files.subscribe(() => reported.push(changes.length));
    text.edit('script.js', 'let a = 2;');
    text.replace('script.js', 'let a = 3;');
    text.create('style.css', 'p {}');
    expect(reported).toEqual([1, 2, 3]);
  });

  test('has the paths of assets and no texts of them', () => {
    const { doc, text } = open();
    const paths: (readonly string[])[] = [];
    text.paths.subscribe(() => paths.push(text.paths.get()));
    createFile(doc, 'a.png', png);
    expect(paths).toEqual([['a.png', 'index.html', 'script.js']]);
    expect([...text.files.get().keys()]).toEqual(['index.html', 'script.js']);
    expect([...text.assets.get()]).toEqual([['a.png', png]]);
    expect(text.findText('a.png')).toBeUndefined();
    expect(text.readAll()).toEqual(readFiles(doc));
  });

  test('passes on what an edit changed, and nothing else', () => {
    const { doc, text, changes } = open();
    text.findText('script.js')?.insert(0, '// ');
    createFile(doc, 'a.png', png);
    text.move([{ from: 'a.png', to: 'b.png' }]);
    text.remove(['index.html']);
    expect(changes).toEqual([
      { changed: toTextFiles([['script.js', '// let a = 1;']]), removed: [] },
      { changed: new Map([['a.png', png]]), removed: [] },
      { changed: new Map([['b.png', png]]), removed: ['a.png'] },
      { changed: new Map(), removed: ['index.html'] },
    ]);
  });

  test('keeps the maps of earlier edits as they were', () => {
    const { text } = open();
    for (let n = 0; n < 12; n++) text.create(`${n}.txt`);
    const versions = Array.from({ length: 30 }, (_, n) => {
      text.findText(`${n % 12}.txt`)?.insert(0, `${n},`);
      return { map: text.files.get(), copy: copyTexts(text) };
    });
    for (const { map, copy } of versions) {
      expect(new Map(map)).toEqual(copy);
      expect([...map.keys()]).toEqual([...copy.keys()]);
      expect([...map.values()]).toEqual([...copy.values()]);
      for (const [path, content] of copy) expect(map.get(path)).toBe(content);
      expect(map.has('none')).toBe(false);
      expect(map.size).toBe(copy.size);
    }
  });

  test('passes nothing on once it is closed', () => {
    const { doc, text, changes } = open();
    text.close();
    createFile(doc, 'late.js', '');
    expect(changes).toEqual([]);
  });

  test('follows an edit and leaves the other texts unchanged', () => {
    const { text } = open();
    const before = text.files.get();
    text.findText('script.js')?.insert(0, '// ');
    expect(text.files.get()).not.toBe(before);
    expect(text.files.get().get('script.js')).toBe('// let a = 1;');
    expect(text.files.get().get('index.html')).toBe(before.get('index.html'));
  });

  test('does not report paths while only texts change', () => {
    const { text } = open();
    let told = 0;
    text.paths.subscribe(() => (told += 1));
    text.findText('script.js')?.insert(0, 'x');
    expect(told).toBe(0);
    text.create('style.css');
    expect(told).toBe(1);
  });

  test('reports a local or remote rename as a rename', () => {
    const { doc, text, renames } = open();
    text.move([{ from: 'script.js', to: 'lib/main.js' }]);
    const [, other] = listFiles(doc);
    doc.getMap('files').forEach((entry, id) => {
      if (id === other?.id && entry instanceof Y.Map) entry.set('path', 'lib/app.js');
    });
    expect(renames).toEqual(['script.js → lib/main.js', 'lib/main.js → lib/app.js']);
  });

  test('edits only the differing range of a file, or creates it', () => {
    const { text } = open();
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(text.doc));
    listTextFiles(other)[1]?.text.insert(0, '// theirs\n');
    text.edit('script.js', 'let a = 27;');
    text.edit('package.json', '{}');
    Y.applyUpdate(text.doc, Y.encodeStateAsUpdate(other));
    expect(text.files.get().get('script.js')).toBe('// theirs\nlet a = 27;');
    expect(text.files.get().get('package.json')).toBe('{}');
  });

  test('reports a file replaced locally or remotely', () => {
    const { doc, text, replaced } = open();
    text.replace('script.js', 'let b;');
    replaceFile(doc, 'index.html', '<p>');
    text.edit('index.html', '<p>typed');
    expect(replaced).toEqual(['script.js', 'index.html']);
    expect(text.files.get().get('script.js')).toBe('let b;');
    expect(text.paths.get()).toEqual(['index.html', 'script.js']);
  });

  test('restores a deleted file with its text', () => {
    const { text } = open();
    const restore = text.remove(['script.js']);
    expect(text.paths.get()).toEqual(['index.html']);
    restore();
    expect(text.files.get().get('script.js')).toBe('let a = 1;');
  });

  test('stops updating once it is closed', () => {
    const { doc, text } = open();
    text.close();
    createFile(doc, 'late.js', '');
    expect(text.paths.get()).toEqual(['index.html', 'script.js']);
  });

  test('equals a fresh read of the document after any changes', () => {
    const path = fc.constantFrom('index.html', 'script.js', 'a.js', 'b.js', 'lib/a.js');
    const step = fc.oneof(
      fc.record({ type: fc.constant('edit' as const), path, at: fc.nat(9), text: fc.string() }),
      fc.record({ type: fc.constant('remove' as const), path }),
      fc.record({ type: fc.constant('create' as const), path }),
      fc.record({
        type: fc.constant('asset' as const),
        path,
        hash: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
      }),
      fc.record({ type: fc.constant('undo-removal' as const), path }),
      fc.record({ type: fc.constant('rename' as const), path, to: path }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { doc, text, changes } = open();
        const files = text.readAll();
        for (const each of steps) {
          if (each.type === 'asset') replaceFile(doc, each.path, { ...png, hash: each.hash });
          const shown = listFiles(doc).find((file) => file.path === each.path);
          if (each.type === 'undo-removal' && shown) {
            removeFile(doc, shown.id);
            restoreFile(doc, shown.id);
          }
          const exists = text.findText(each.path) !== undefined;
          if (each.type === 'create' && !shown) text.create(each.path, 'new');
          if (!exists) continue;
          if (each.type === 'edit') {
            const found = text.findText(each.path);
            found?.insert(Math.min(each.at, found.length), each.text.toWellFormed());
          }
          if (each.type === 'remove') text.remove([each.path]);
          if (each.type === 'rename' && !text.paths.get().includes(each.to))
            text.move([{ from: each.path, to: each.to }]);
        }
        const fresh = new ProjectText(doc, {
          onRename: () => undefined,
          onReplace: () => undefined,
        });
        expect(copyTexts(text)).toEqual(copyTexts(fresh));
        expect(text.paths.get()).toEqual(fresh.paths.get());
        expect(text.assets.get()).toEqual(fresh.assets.get());
        for (const change of changes) applyChanges(files, change);
        expect(files).toEqual(readFiles(doc));
      }),
    );
  });
});

describe('file operations', () => {
  function openChanges() {
    const live = openUnsavedCopy(toTextFiles(start));
    const text = new ProjectText(live.doc, { onRename: () => {}, onReplace: () => {} });
    return { live, text, changes: new FileOperations(() => ({ live, text })) };
  }
  const replacing = [
    { path: 'script.js', content: 'let b = 2;' },
    { path: 'new.js', content: '' },
  ];

  test('replace an existing file, and undo restores it', async () => {
    const { live, text, changes } = openChanges();
    const before = copyTexts(text);
    const living = text.findText('script.js');
    const undo = changes.add(replacing);
    expect(text.files.get().get('script.js')).toBe('let b = 2;');
    expect(text.paths.get()).toContain('new.js');
    // The same `Y.Text`, so open editors stay bound to it.
    expect(text.findText('script.js')).toBe(living);
    undo();
    expect(copyTexts(text)).toEqual(before);
    await live.close();
  });

  test('replace nothing if the project would exceed its limits', async () => {
    const { live, text, changes } = openChanges();
    const mebibyte = 'x'.repeat(1024 * 1024);
    changes.add(Array.from({ length: 9 }, (_, n) => ({ path: `${n}.txt`, content: mebibyte })));
    const before = copyTexts(text);
    const refused = { code: 'project_too_large' };
    const files = [
      { path: 'new.js', content: '' },
      { path: 'script.js', content: mebibyte },
    ];
    expect(() => changes.add(files)).toThrow(expect.objectContaining(refused));
    expect(() => changes.add([{ path: 'tenth.txt', content: mebibyte }])).toThrow(
      expect.objectContaining(refused),
    );
    expect(copyTexts(text)).toEqual(before);
    await live.close();
  });

  test('normalize line endings of a replaced file', async () => {
    const { live, text, changes } = openChanges();
    changes.add([{ path: 'script.js', content: 'let b;\r\nlet c;' }]);
    expect(text.files.get().get('script.js')).toBe('let b;\nlet c;');
    await live.close();
  });

  test('restore a replaced file by the editor’s undo too', async () => {
    const { live, text, changes } = openChanges();
    const living = text.findText('script.js');
    if (living) live.getUndoManager(living);
    changes.add(replacing);
    if (living) live.getUndoManager(living).undo();
    expect(text.files.get().get('script.js')).toBe('let a = 1;');
    await live.close();
  });

  test('move a file over another, and undo restores both', async () => {
    const { live, text, changes } = openChanges();
    const before = copyTexts(text);
    const { undo } = await changes.move([{ from: 'script.js', to: 'index.html' }], ['index.html']);
    expect(Object.fromEntries(text.files.get())).toEqual({ 'index.html': 'let a = 1;' });
    undo();
    expect(copyTexts(text)).toEqual(before);
    await live.close();
  });

  test('replace a text by an asset and an asset by a text, and undo restores both', async () => {
    const { live, text, changes } = openChanges();
    changes.add([{ path: 'a.png', content: png }]);
    const before = text.readAll();
    const undo = changes.add([
      { path: 'script.js', content: { ...png, mediaType: 'text/javascript' } },
      { path: 'a.png', content: 'text' },
    ]);
    expect(text.readAll().get('script.js')?.kind).toBe('asset');
    expect(text.files.get().get('a.png')).toBe('text');
    undo();
    expect(text.readAll()).toEqual(before);
    await live.close();
  });

  test('replace an asset, and undo restores it', async () => {
    const { live, text, changes } = openChanges();
    changes.add([{ path: 'a.png', content: png }]);
    const undo = changes.add([{ path: 'a.png', content: { ...png, hash: 'b'.repeat(64) } }]);
    expect(text.assets.get().get('a.png')?.hash).toBe('b'.repeat(64));
    undo();
    expect(text.assets.get().get('a.png')).toEqual(png);
    await live.close();
  });

  test('update links to a moved asset', async () => {
    const { live, text, changes } = openChanges();
    changes.add([
      { path: 'a.png', content: png },
      { path: 'index.html', content: '<img src="a.png">' },
    ]);
    const { count } = await changes.move([{ from: 'a.png', to: 'img/b.png' }]);
    expect(count).toBe(1);
    expect(text.files.get().get('index.html')).toBe('<img src="img/b.png">');
    expect(text.assets.get()).toEqual(new Map([['img/b.png', png]]));
    await live.close();
  });

  test('replace all files by a version’s, and undo restores them', async () => {
    const { live, text, changes } = openChanges();
    changes.add([{ path: 'a.png', content: png }]);
    const before = text.readAll();
    const living = text.findText('script.js');
    const version = new Map<string, ProjectFile>([
      ...toTextFiles([
        ['script.js', 'let a = 2;'],
        ['style.css', 'p {}'],
      ]),
      ['b.png', png],
    ]);
    const undo = changes.replaceAll(version);
    expect(text.readAll()).toEqual(new Map([...version].sort(([a], [b]) => (a < b ? -1 : 1))));
    expect(text.findText('script.js')).toBe(living);
    undo();
    expect(text.readAll()).toEqual(before);
    await live.close();
  });

  test('replace all files and merge with what others edit meanwhile', async () => {
    const { live, text, changes } = openChanges();
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(live.doc));
    listTextFiles(other)[1]?.text.insert(0, '// theirs\n');
    changes.replaceAll(toTextFiles([['script.js', 'let a = 27;']]));
    Y.applyUpdate(live.doc, Y.encodeStateAsUpdate(other));
    expect(Object.fromEntries(text.files.get())).toEqual({ 'script.js': '// theirs\nlet a = 27;' });
    await live.close();
  });

  test('replace all files as one step of the editor’s undo', async () => {
    const { live, text, changes } = openChanges();
    const before = copyTexts(text);
    const living = text.findText('script.js');
    if (living) live.getUndoManager(living);
    changes.replaceAll(toTextFiles([['script.js', 'let b;']]));
    if (living) live.getUndoManager(living).undo();
    expect(copyTexts(text)).toEqual(before);
    await live.close();
  });

  test('are all applied or none', async () => {
    const { live, text, changes } = openChanges();
    const before = copyTexts(text);
    const large = { path: 'large.js', content: 'x'.repeat(2 ** 20 + 1) };
    expect(() => changes.add([...replacing, large])).toThrow();
    expect(copyTexts(text)).toEqual(before);
    await live.close();
  });
});
