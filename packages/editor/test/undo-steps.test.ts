import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { getUndoSteps, type SavedUndoSteps, type UndoSteps } from '../src/undo-steps.ts';

interface Opened {
  readonly text: Y.Text;
  readonly history: Y.UndoManager;
  readonly steps: UndoSteps;
}

const localOrigin = Symbol('here');

/** A page with the server's document and the steps saved on the device. */
function open(state?: Uint8Array, saved?: SavedUndoSteps): Opened {
  const doc = new Y.Doc();
  if (state) Y.applyUpdate(doc, state);
  const text = doc.getText();
  const history = new Y.UndoManager(text, { trackedOrigins: new Set([localOrigin]) });
  const steps = getUndoSteps(text, history);
  if (saved) steps.restore(saved);
  return { text, history, steps };
}

/** Reloads the page with the document of the server and the steps of the device. */
function reload({ text, steps }: Opened): Opened {
  return open(stateOf(text), structuredClone(steps.save()));
}

function stateOf({ doc }: Y.Text): Uint8Array {
  if (!doc) throw new Error('the text belongs to no document');
  return Y.encodeStateAsUpdate(doc);
}

function edit({ text, history }: Opened, at: number, removed: number, insert: string): void {
  history.stopCapturing();
  text.doc?.transact(() => {
    text.delete(at, removed);
    text.insert(at, insert);
  }, localOrigin);
}

/** Applies a remote edit. */
function editRemotely({ text }: Opened, at: number, removed: number, insert: string): void {
  text.doc?.transact(() => {
    text.delete(at, removed);
    text.insert(at, insert);
  }, 'remote');
}

/** Undoes step by step. Returns the text after each step. */
function undoAll({ text, steps }: Opened, kind: 'undo' | 'redo'): string[] {
  const seen: string[] = [];
  for (let before = ''; seen.length < 20;) {
    before = text.toString();
    steps[kind]();
    if (text.toString() === before) break;
    seen.push(text.toString());
  }
  return seen;
}

function written(): Opened {
  const page = open();
  edit(page, 0, 0, 'one');
  edit(page, 3, 0, ' two');
  edit(page, 0, 3, '1');
  return page;
}

test('undoes and redoes a deletion from before a reload', () => {
  const page = reload(written());
  expect(page.text.toString()).toBe('1 two');
  expect(undoAll(page, 'undo')).toEqual(['one two', 'one', '']);
  expect(undoAll(page, 'redo')).toEqual(['one', 'one two', '1 two']);
});

test('undoes steps since the reload first, and drops the redo steps', () => {
  const page = reload(written());
  edit(page, 5, 0, '!');
  expect(undoAll(page, 'undo')).toEqual(['1 two', 'one two', 'one', '']);
  expect(undoAll(page, 'redo').at(-1)).toBe('1 two!');
  undoAll(page, 'undo');
  edit(page, 0, 0, 'new');
  expect(undoAll(page, 'redo')).toEqual([]);
  expect(undoAll(page, 'undo')).toEqual(['']);
});

test('redoes a step that was undone before the reload', () => {
  const before = written();
  before.steps.undo();
  const page = reload(before);
  expect(undoAll(page, 'redo')).toEqual(['1 two']);
  expect(undoAll(reload(page), 'undo')).toEqual(['one two', 'one', '']);
});

test('keeps remote edits, and rebases restored steps over them', () => {
  const before = written();
  editRemotely(before, 0, 0, '> ');
  const page = reload(before);
  expect(page.text.toString()).toBe('> 1 two');
  editRemotely(page, 7, 0, ' <');
  expect(undoAll(page, 'undo')).toEqual(['> one two <', '> one <', '>  <']);
});

test('restores nothing if the text has changed meanwhile', () => {
  const before = written();
  const saved = before.steps.save();
  editRemotely(before, 0, 0, 'x');
  const page = open(stateOf(before.text), saved);
  expect(undoAll(page, 'undo')).toEqual([]);
  expect(page.text.toString()).toBe('x1 two');
});

test('saves the latest steps, up to the size limit', () => {
  const page = open();
  for (let step = 0; step < 20; step++)
    edit(page, 0, page.text.length, String(step % 10).repeat(5_000));
  const again = reload(page);
  const steps = undoAll(again, 'undo');
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.length).toBeLessThan(11);
  expect(steps[0]).toBe('8'.repeat(5_000));
});

/** Random edits, undo, redo and reloads. The seed is in the failure message. */
function play(seed: number, others: boolean): Opened {
  let state = seed;
  const upTo = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  let page = open();
  for (let round = 0; round < 12; round++) {
    const at = upTo(page.text.length + 1);
    edit(page, at, upTo(Math.min(4, page.text.length - at + 1)), 'abc'.slice(upTo(3)) + round);
    if (upTo(3) > 0) continue;
    page = reload(page);
    for (let step = upTo(4); step > 0; step--) page.steps.undo();
    for (let step = upTo(3); step > 0; step--) page.steps.redo();
    if (others) editRemotely(page, upTo(page.text.length + 1), 0, '_');
  }
  return page;
}

test('undoes everything at random, across reloads', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const page = play(seed, false);
    for (let step = 0; step < 20; step++) page.steps.undo();
    expect(page.text.toString(), `seed ${seed}`).toBe('');
  }
});

test('never undoes a remote edit, at random', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const page = play(seed, true);
    const theirs = () => page.text.toString().split('_').length;
    const before = theirs();
    for (let step = 0; step < 20; step++) page.steps.undo();
    expect(theirs(), `seed ${seed}`).toBeGreaterThanOrEqual(before);
  }
});
