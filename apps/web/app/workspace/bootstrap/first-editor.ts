/**
 * First script of a saved project's page: starts an early editor over the server-rendered text
 * before the rest of the app has loaded. The editor opened there later takes it over.
 */
import {
  createEarlyEditor,
  startLanguageWorkerEarly,
  initialSettings,
  loadLanguage,
} from '@vitrine/editor/early-editor';
import type { EditorSettings } from '@vitrine/editor';
import { earlyEditors } from './early-editors.ts';
import { allowBuiltWorkers } from '../../trusted-types.ts';

/** Data of an early editor, inlined into the page. */
export interface EarlyEditorData {
  readonly path: string;
  readonly text: string;
  readonly settings: Omit<EditorSettings, 'keys'>;
  /** Nonce of the page's style policy. */
  readonly nonce: string;
}

const isScript = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Starts the early editors of a file. */
export async function begin(first: EarlyEditorData): Promise<void> {
  const { path } = first;
  await loadLanguage(path);
  // Yields to the browser: parsing the code has already taken a while.
  await new Promise((resolve) => setTimeout(resolve));
  for (const parent of document.querySelectorAll<HTMLElement>('[data-editor-of]')) {
    if (parent.dataset.editorOf !== path || parent.hasChildNodes()) continue;
    const settings = { ...initialSettings, ...first.settings };
    earlyEditors.set(parent, createEarlyEditor({ ...first, parent, settings }));
  }
  // Starts after the editor's first frame, in parallel with the rest of the page.
  if (isScript.test(path)) requestAnimationFrame(() => setTimeout(startLanguageWorker));
}

function startLanguageWorker(): void {
  allowBuiltWorkers();
  startLanguageWorkerEarly();
}

addEventListener('beforeunload', (event) => {
  // Text typed into an early editor is only in this page until the app takes it over.
  const places = document.querySelectorAll('[data-editor-of]');
  if ([...places].some((place) => earlyEditors.get(place)?.hasEdits)) event.preventDefault();
});
