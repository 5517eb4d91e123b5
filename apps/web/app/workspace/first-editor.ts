/**
 * The first script of a saved project's page: an editor where the server has rendered the text,
 * before anything else of the app has come. The pane that opens there takes it over.
 */
import {
  beginEditor,
  beginLanguageWorker,
  initialSettings,
  loadLanguage,
} from '@vitrine/editor/begun-editor';
import type { EditorSettings } from '@vitrine/editor';
import { allowBuiltWorkers } from '../trusted-types.ts';

/** What the page says of an editor that begins in it. */
export interface FirstEditor {
  readonly path: string;
  readonly text: string;
  readonly settings: Omit<EditorSettings, 'keys'>;
  /** Of the page's style policy. */
  readonly nonce: string;
}

const isScript = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Begins the editors of a file. */
export async function begin(first: FirstEditor): Promise<void> {
  const { path } = first;
  await loadLanguage(path);
  // The code has only just been read, which takes a while already.
  await new Promise((resolve) => setTimeout(resolve));
  for (const parent of document.querySelectorAll<HTMLElement>('[data-editor-of]')) {
    if (parent.dataset.editorOf !== path || parent.hasChildNodes()) continue;
    parent.vitrineEditor = beginEditor({
      ...first,
      parent,
      settings: { ...initialSettings, ...first.settings },
    });
  }
  // Behind the editor's frame, beside what else of the page comes.
  if (isScript.test(path)) requestAnimationFrame(() => setTimeout(beginUnderstanding));
}

function beginUnderstanding(): void {
  allowBuiltWorkers();
  beginLanguageWorker();
}

addEventListener('beforeunload', (event) => {
  // It is in this page alone until the pane has it.
  const places = document.querySelectorAll('[data-editor-of]');
  if ([...places].some(({ vitrineEditor }) => vitrineEditor?.isTyped)) event.preventDefault();
});
