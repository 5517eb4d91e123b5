import { foldedRanges } from '@codemirror/language';
import { diagnosticCount } from '@codemirror/lint';
import { createFile, listFiles } from '@vitrine/project';
import * as Y from 'yjs';
import { beginEditor } from '../src/begun-editor.ts';
import {
  createEditor,
  loadLanguage,
  takeEditor,
  type BegunEditor,
  type Editor,
  type EditorSettings,
  type FoldedLine,
  type TabMode,
} from '../src/index.ts';
import { fixList, fixSource } from '../src/language-service/fix-list.ts';
import { behindLetter, whenTypingRests } from '../src/letter-frame.ts';
import { isSupportedStyle } from '../src/rules/supported-styles.ts';
import { initialSettings } from '../src/settings.ts';

/** What tests use in the page: the editor, its document, and a remote replica of it. */
export interface EditorPage {
  editor: Editor;
  doc: Y.Doc;
  open(files: Record<string, string>, options?: { readOnly?: boolean }): Promise<void>;
  /** Opens a new document with one file. ‸ is the cursor, two of them a selection. */
  begin(path: string, marked: string): Promise<void>;
  /** The text of the file that `begin` opened, with ‸ at the cursor. */
  marked(): string;
  /** Opens an early editor with a text of its own. */
  beginAlone(path: string, text: string, settings?: Partial<EditorSettings>): Promise<void>;
  begun: BegunEditor;
  /** Hands the early editor over to a full one for the file with this path and shared text. */
  takeBegun(path: string, text: string): void;
  show(path: string): void;
  text(path: string): string;
  /** Edits further apart than this are separate undo steps. */
  setPatience(path: string, ms: number): void;
  /** Inserts text as a remote edit. */
  remoteInsert(path: string, at: number, text: string): void;
  remoteDelete(path: string, at: number, length: number): void;
  folds(): number;
  problems(): number;
  /** Sets up two quick fix providers: one that finds this fix, and one that never responds. */
  serveFixes(label: string): void;
  cursor(): { line: number; column: number };
  setCursor(at: number): void;
  /** Folds last reported, by path. */
  kept: Record<string, readonly FoldedLine[]>;
  settle(settings: Partial<EditorSettings>): void;
  selected(): string[];
  told: { saves: number; refused: string[]; tab: TabMode[] };
  behindLetter: typeof behindLetter;
  whenTypingRests: typeof whenTypingRests;
  isSupportedStyle: typeof isSupportedStyle;
}

declare global {
  var page: EditorPage;
}

const undos = new Map<Y.Text, Y.UndoManager>();

globalThis.page = {
  editor: undefined as never,
  begun: undefined as never,
  doc: new Y.Doc(),
  behindLetter,
  whenTypingRests,
  isSupportedStyle,
  told: { saves: 0, refused: [], tab: [] },

  kept: {},

  settle: (settings) => page.editor.setSettings({ ...initialSettings, ...settings }),
  selected: () =>
    page.editor.view.state.selection.ranges.map(({ from, to }) =>
      page.editor.view.state.sliceDoc(from, to),
    ),

  async open(files, options = {}) {
    for (const [path, content] of Object.entries(files)) createFile(page.doc, path, content);
    const path = Object.keys(files)[0] ?? '';
    await loadLanguage(path);
    page.editor = createEditor({ ...editorOptions(), ...fileAt(path), ...options });
    page.editor.focus();
  },

  async beginAlone(path, text, settings) {
    await loadLanguage(path);
    page.begun = beginEditor({
      ...place(),
      path,
      text,
      settings: { ...initialSettings, ...settings },
    });
  },
  takeBegun(path, text) {
    createFile(page.doc, path, text);
    page.editor = takeEditor(page.begun, { ...editorOptions(), ...fileAt(path) });
  },

  async begin(path, marked) {
    page.editor?.close();
    page.doc = new Y.Doc();
    await page.open({ [path]: marked.replaceAll('‸', '') });
    const [anchor = 0, head = anchor + 1] = [...marked.matchAll(/‸/g)].map(({ index }) => index);
    page.editor.view.dispatch({ selection: { anchor, head: head - 1 } });
  },
  marked() {
    const { state } = page.editor.view;
    const { from, to, empty } = state.selection.main;
    const at = empty ? [from] : [from, to];
    return at.reduceRight(
      (text, each) => `${text.slice(0, each)}‸${text.slice(each)}`,
      state.doc.toString(),
    );
  },

  show: (path) => page.editor.show(fileAt(path)),
  text: (path) => fileAt(path).text.toString(),
  setPatience: (path, ms) => void (fileAt(path).undo.captureTimeout = ms),
  remoteInsert: (path, at, text) => remotely(path, (there) => there.insert(at, text)),
  remoteDelete: (path, at, length) => remotely(path, (there) => there.delete(at, length)),

  folds() {
    let count = 0;
    foldedRanges(page.editor.view.state).between(0, Infinity, () => void count++);
    return count;
  },
  problems: () => diagnosticCount(page.editor.view.state),
  serveFixes(label) {
    const files = new Map<string, string>();
    const common = { files: () => files, write: () => {} };
    page.editor.setServices([
      fixList,
      fixSource.of({ ...common, find: async () => [{ label, files: [] }] }),
      fixSource.of({ ...common, find: () => new Promise(() => {}) }),
    ]);
  },

  cursor() {
    const { state } = page.editor.view;
    const line = state.doc.lineAt(state.selection.main.head);
    return { line: line.number, column: state.selection.main.head - line.from + 1 };
  },
  setCursor: (at) => page.editor.view.dispatch({ selection: { anchor: at } }),
};

const place = () => ({
  parent: document.querySelector('main') ?? document.body,
  nonce: 'test-nonce',
});

const editorOptions = () => ({
  ...place(),
  files: () => listFiles(page.doc).map((file) => file.path),
  folds: (name: string) => page.kept[name] ?? [],
  onFold: (name: string, folds: readonly FoldedLine[]) => (page.kept[name] = folds),
  onSave: () => page.told.saves++,
  onRefuse: (code: string) => page.told.refused.push(code),
  onTabMode: (mode: TabMode) => page.told.tab.push(mode),
});

function fileAt(path: string) {
  const file = listFiles(page.doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  const undo = undos.get(file.text) ?? new Y.UndoManager(file.text, { trackedOrigins: new Set() });
  undos.set(file.text, undo);
  return { path, text: file.text, undo };
}

function remotely(path: string, edit: (text: Y.Text) => void): void {
  const replica = new Y.Doc();
  Y.applyUpdate(replica, Y.encodeStateAsUpdate(page.doc));
  const there = listFiles(replica).find((file) => file.path === path);
  if (there) edit(there.text);
  Y.applyUpdate(page.doc, Y.encodeStateAsUpdate(replica), 'remote');
}
