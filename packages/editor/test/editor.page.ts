import { foldedRanges } from '@codemirror/language';
import { diagnosticCount } from '@codemirror/lint';
import { createFile, listFiles, listTextFiles } from '@vitrine/project';
import * as Y from 'yjs';
import { createConsoleInput } from '../src/console-input.ts';
import { DiffView, type DiffPosition } from '../src/diff-view.ts';
import { createEarlyEditor } from '../src/early-editor.ts';
import {
  createEditor,
  loadLanguage,
  adoptEarlyEditor,
  type EarlyEditor,
  type Editor,
  type EditorSettings,
  type FilesTarget,
  type FoldedLine,
  type TabMode,
} from '../src/index.ts';
import { quickFixMenu, quickFixProvider } from '../src/language-service/quick-fix-menu.ts';
import { afterPaint, afterTypingPause } from '../src/after-paint.ts';
import { isSupportedByBrowser } from '../src/lint-client/browser-support.ts';
import { initialSettings } from '../src/settings.ts';

/** What tests use in the page: the editor, its document, and a remote replica of it. */
export interface EditorPage {
  editor: Editor;
  doc: Y.Doc;
  open(files: Record<string, string>): Promise<void>;
  /** Opens a new document with one file. ‸ is the cursor, two of them a selection. */
  openMarked(path: string, marked: string): Promise<void>;
  /** The text of the file that `openMarked` opened, with ‸ at the cursor. */
  marked(): string;
  /** Opens an early editor with a text of its own. */
  openEarly(path: string, text: string, settings?: Partial<EditorSettings>): Promise<void>;
  earlyEditor: EarlyEditor;
  /** Hands the early editor over to a full one for the file with this path and shared text. */
  adoptEarlyEditor(path: string, text: string): void;
  show(path: string): void;
  text(path: string): string;
  /** Edits further apart than this are separate undo steps. */
  setUndoTimeout(path: string, timeoutMs: number): void;
  /** Inserts text as a remote edit. */
  remoteInsert(path: string, at: number, text: string): void;
  remoteDelete(path: string, at: number, length: number): void;
  folds(): number;
  diagnostics(): number;
  /** Sets up two quick fix providers: one that finds this fix, and one that never responds. */
  provideQuickFixes(label: string): void;
  cursor(): { line: number; column: number };
  setCursor(at: number): void;
  /** True if the cursor's line is within the scrolled part of the editor. */
  isCursorInView(): boolean;
  /** Folds last reported, by path. */
  savedFolds: Record<string, readonly FoldedLine[]>;
  setSettings(settings: Partial<EditorSettings>): void;
  selected(): string[];
  /** Whether the page takes files instead of letting the editor insert them. */
  takesFiles: boolean;
  /** What the editor has reported through its options. */
  reported: { saves: number; rejected: string[]; tabModes: TabMode[]; files: string[] };
  afterPaint: typeof afterPaint;
  afterTypingPause: typeof afterTypingPause;
  isSupportedByBrowser: typeof isSupportedByBrowser;
  /** Shows the differences between two texts. */
  openDiff(path: string, before: string, after: string, isUnified: boolean): Promise<void>;
  /** Creates a console input and focuses it. */
  openConsoleInput(): void;
  diff: DiffView;
  /** The latest position that the diff reported. */
  position: DiffPosition;
}

declare global {
  var page: EditorPage;
}

const undoManagers = new Map<Y.Text, Y.UndoManager>();

globalThis.page = {
  editor: undefined as never,
  earlyEditor: undefined as never,
  diff: undefined as never,
  position: { count: 0, current: 0 },
  doc: new Y.Doc(),
  afterPaint,
  afterTypingPause,
  isSupportedByBrowser,
  takesFiles: false,
  reported: { saves: 0, rejected: [], tabModes: [], files: [] },

  savedFolds: {},

  setSettings: (settings) => page.editor.setSettings({ ...initialSettings, ...settings }),
  selected: () =>
    page.editor.view.state.selection.ranges.map(({ from, to }) =>
      page.editor.view.state.sliceDoc(from, to),
    ),

  async open(files) {
    for (const [path, content] of Object.entries(files)) createFile(page.doc, path, content);
    const path = Object.keys(files)[0] ?? '';
    await loadLanguage(path);
    page.editor = createEditor({ ...editorOptions(), ...fileAt(path) });
    page.editor.focus();
  },

  async openDiff(path, before, after, isUnified) {
    await loadLanguage(path);
    page.diff = new DiffView({
      ...container(),
      path,
      before: { name: `${path} (version 1)`, text: before },
      after: { name: `${path} (version 2)`, text: after },
      isUnified,
      isCollapsed: true,
      settings: initialSettings,
      onChange: (position) => (page.position = position),
    });
  },

  openConsoleInput() {
    const options = { ...container(), label: 'Console input', placeholder: '' };
    createConsoleInput({
      ...options,
      history: () => [],
      listProperties: async () => [],
      onRun: () => {},
      onReject: () => {},
    }).focus();
  },

  async openEarly(path, text, settings) {
    await loadLanguage(path);
    page.earlyEditor = createEarlyEditor({
      ...container(),
      path,
      text,
      settings: { ...initialSettings, ...settings },
    });
  },
  adoptEarlyEditor(path, text) {
    createFile(page.doc, path, text);
    page.editor = adoptEarlyEditor(page.earlyEditor, { ...editorOptions(), ...fileAt(path) });
  },

  async openMarked(path, marked) {
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
  setUndoTimeout: (path, timeoutMs) => void (fileAt(path).undo.captureTimeout = timeoutMs),
  remoteInsert: (path, at, text) => editRemotely(path, (target) => target.insert(at, text)),
  remoteDelete: (path, at, length) => editRemotely(path, (target) => target.delete(at, length)),

  folds() {
    let count = 0;
    foldedRanges(page.editor.view.state).between(0, Infinity, () => void count++);
    return count;
  },
  diagnostics: () => diagnosticCount(page.editor.view.state),
  provideQuickFixes(label) {
    const files = new Map<string, string>();
    const common = { files: () => files, write: () => {} };
    page.editor.setServices([
      quickFixMenu,
      quickFixProvider.of({ ...common, findQuickFixes: async () => [{ label, files: [] }] }),
      quickFixProvider.of({ ...common, findQuickFixes: () => new Promise(() => {}) }),
    ]);
  },

  cursor() {
    const { state } = page.editor.view;
    const line = state.doc.lineAt(state.selection.main.head);
    return { line: line.number, column: state.selection.main.head - line.from + 1 };
  },
  setCursor: (at) => page.editor.view.dispatch({ selection: { anchor: at } }),
  isCursorInView() {
    const { view } = page.editor;
    const cursor = view.coordsAtPos(view.state.selection.main.head);
    const { top, bottom } = view.scrollDOM.getBoundingClientRect();
    return cursor !== null && cursor.top >= top && cursor.bottom <= bottom;
  },
};

const container = () => ({
  parent: document.querySelector('main') ?? document.body,
  nonce: 'test-nonce',
});

const editorOptions = () => ({
  ...container(),
  files: {
    list: () => listFiles(page.doc).map((file) => file.path),
    loadPicture: async () => {
      const canvas = new OffscreenCanvas(4, 3);
      canvas.getContext('2d')?.fillRect(0, 0, 4, 3);
      return canvas.convertToBlob();
    },
  },
  savedFolds: (name: string) => page.savedFolds[name] ?? [],
  onFold: (name: string, folds: readonly FoldedLine[]) => (page.savedFolds[name] = folds),
  onSave: () => page.reported.saves++,
  onFiles: ({ files }: DataTransfer, { path, offset, isPaste }: FilesTarget) => {
    const names = Array.from(files, ({ name }) => name).join();
    if (page.takesFiles) page.reported.files.push(`${names} ${path} ${offset} ${isPaste}`);
    return page.takesFiles;
  },
  onReject: (code: string) => page.reported.rejected.push(code),
  onTabMode: (mode: TabMode) => page.reported.tabModes.push(mode),
});

function fileAt(path: string) {
  const file = listTextFiles(page.doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`${path} does not exist`);
  const undo =
    undoManagers.get(file.text) ?? new Y.UndoManager(file.text, { trackedOrigins: new Set() });
  undoManagers.set(file.text, undo);
  return { path, text: file.text, undo };
}

function editRemotely(path: string, edit: (text: Y.Text) => void): void {
  const replica = new Y.Doc();
  Y.applyUpdate(replica, Y.encodeStateAsUpdate(page.doc));
  const target = listTextFiles(replica).find((file) => file.path === path);
  if (target) edit(target.text);
  Y.applyUpdate(page.doc, Y.encodeStateAsUpdate(replica), 'remote');
}
