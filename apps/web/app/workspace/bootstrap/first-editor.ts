/**
 * First script of a saved project's page: starts an early editor over the server-rendered text
 * before the rest of the app has loaded. The editor opened there later takes it over.
 */
import { createEarlyEditor, initialSettings, loadLanguage } from '@vitrine/editor/early-editor';
import type { EditorSettings } from '@vitrine/editor';
import { earlyEditors } from './early-editors.ts';
import { storeTypedTexts, type TypedText } from './typed-text.ts';

/** Data of an early editor, inlined into the page. */
export interface EarlyEditorData {
  /** Id of the project. */
  readonly project: string;
  readonly path: string;
  readonly text: string;
  readonly settings: Omit<EditorSettings, 'keys'>;
  /** Nonce of the page's style policy. */
  readonly nonce: string;
}

/** Starts the early editors of a file. */
export async function begin(first: EarlyEditorData): Promise<void> {
  const { path, project } = first;
  await loadLanguage(path);
  // Yields to the browser: parsing the code has already taken a while.
  await new Promise((resolve) => setTimeout(resolve));
  for (const parent of document.querySelectorAll<HTMLElement>('[data-editor-of]')) {
    if (parent.dataset.editorOf !== path || parent.hasChildNodes()) continue;
    const settings = { ...initialSettings, ...first.settings };
    const { base: text = first.text, text: typed = text } = window.typedTexts?.[path] ?? {};
    earlyEditors.set(parent, createEarlyEditor({ ...first, text, typed, parent, settings }));
  }
  addEventListener('pagehide', () => storeEdits(project));
}

/** Early editors with edits, which exist only in this page until the app takes them over. */
function findEdited() {
  const places = [...document.querySelectorAll('[data-editor-of]')];
  return places.flatMap((place) => earlyEditors.get(place) ?? []).filter((each) => each.hasEdits);
}

function storeEdits(project: string): void {
  const files: Record<string, TypedText> = {};
  for (const { path, text: base, view } of findEdited())
    files[path] = { base, text: view.state.doc.toString() };
  if (Object.keys(files).length > 0) storeTypedTexts(project, files);
}

addEventListener('beforeunload', (event) => {
  // A page that reloads itself shows these edits again.
  const isRecovering = document.documentElement.dataset['scripts'] === 'missing';
  if (!isRecovering && findEdited().length > 0) event.preventDefault();
});
