import { createFile, createDocumentFromFiles, listFiles, replaceFile } from '@vitrine/project';
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
  const text = new ProjectText(doc, {
    onRename: (from, to) => renames.push(`${from} → ${to}`),
    onReplace: (path) => replaced.push(path),
  });
  return { doc, text, renames, replaced };
}

describe('a project’s text', () => {
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
    listFiles(other)[1]?.text.insert(0, '// theirs\n');
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
      fc.record({ type: fc.constant('rename' as const), path, to: path }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { doc, text } = open();
        for (const each of steps) {
          const exists = text.findText(each.path) !== undefined;
          if (each.type === 'create' && !exists) text.create(each.path, 'new');
          if (!exists) continue;
          if (each.type === 'edit') {
            const found = text.findText(each.path);
            found?.insert(Math.min(each.at, found.length), each.text.toWellFormed());
          }
          if (each.type === 'remove') text.remove([each.path]);
          if (each.type === 'rename' && !text.findText(each.to))
            text.move([{ from: each.path, to: each.to }]);
        }
        const fresh = new ProjectText(doc, {
          onRename: () => undefined,
          onReplace: () => undefined,
        });
        expect(text.files.get()).toEqual(fresh.files.get());
        expect(text.paths.get()).toEqual(fresh.paths.get());
      }),
    );
  });
});

describe('file operations', () => {
  function openChanges() {
    const live = openUnsavedCopy(new Map(start));
    const text = new ProjectText(live.doc, { onRename: () => {}, onReplace: () => {} });
    return { live, text, changes: new FileOperations(() => ({ live, text })) };
  }
  const replacing = [
    { path: 'script.js', text: 'let b = 2;' },
    { path: 'new.js', text: '' },
  ];

  test('replace an existing file, and undo restores it', async () => {
    const { live, text, changes } = openChanges();
    const before = text.files.get();
    const living = text.findText('script.js');
    const undo = changes.add(replacing);
    expect(text.files.get().get('script.js')).toBe('let b = 2;');
    expect(text.paths.get()).toContain('new.js');
    // The same `Y.Text`, so open editors stay bound to it.
    expect(text.findText('script.js')).toBe(living);
    undo();
    expect(text.files.get()).toEqual(before);
    await live.close();
  });

  test('replace nothing if the project would exceed its limits', async () => {
    const { live, text, changes } = openChanges();
    const mebibyte = 'x'.repeat(1024 * 1024);
    changes.add(Array.from({ length: 9 }, (_, n) => ({ path: `${n}.txt`, text: mebibyte })));
    const before = text.files.get();
    const refused = { code: 'project_too_large' };
    const files = [
      { path: 'new.js', text: '' },
      { path: 'script.js', text: mebibyte },
    ];
    expect(() => changes.add(files)).toThrow(expect.objectContaining(refused));
    expect(() => changes.add([{ path: 'tenth.txt', text: mebibyte }])).toThrow(
      expect.objectContaining(refused),
    );
    expect(text.files.get()).toEqual(before);
    await live.close();
  });

  test('normalize line endings of a replaced file', async () => {
    const { live, text, changes } = openChanges();
    changes.add([{ path: 'script.js', text: 'let b;\r\nlet c;' }]);
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
    const before = text.files.get();
    const { undo } = await changes.move([{ from: 'script.js', to: 'index.html' }], ['index.html']);
    expect(Object.fromEntries(text.files.get())).toEqual({ 'index.html': 'let a = 1;' });
    undo();
    expect(text.files.get()).toEqual(before);
    await live.close();
  });

  test('are all applied or none', async () => {
    const { live, text, changes } = openChanges();
    const before = text.files.get();
    const large = { path: 'large.js', text: 'x'.repeat(2 ** 20 + 1) };
    expect(() => changes.add([...replacing, large])).toThrow();
    expect(text.files.get()).toEqual(before);
    await live.close();
  });
});
