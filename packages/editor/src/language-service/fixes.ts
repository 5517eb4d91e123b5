import type { EditorView } from '@codemirror/view';
import type { CodeFix, FileEdits } from '../typescript/messages.ts';
import { filePath, isScript, isScriptAt } from '../understood.ts';
import { openChoices, saySentence } from './choice-list.ts';
import type { LanguageServiceOptions } from './language-service.ts';

/** Offers what mends the problem at the cursor, or those of its line. */
export function mend(view: EditorView, options: LanguageServiceOptions): boolean {
  const { state } = view;
  if (state.readOnly || !isScriptAt(state, state.selection.main.head)) return false;
  void offerFixes(view, options);
  return true;
}

async function offerFixes(view: EditorView, options: LanguageServiceOptions): Promise<void> {
  const { client, files } = options;
  const { state } = view;
  const path = state.facet(filePath);
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const asked = files();
  const near = await client.ask('fixes', { path, from: main.from, to: main.to });
  const found =
    near?.length === 0 ? await client.ask('fixes', { path, from: line.from, to: line.to }) : near;
  if (!found || files() !== asked) return;
  if (found.length === 0) return saySentence(view, 'There is no fix here.');
  const choices = found.map((fix) => toChoice(view, fix, asked, options));
  openChoices(view, { title: 'Fixes', pos: main.head, choices });
}

function toChoice(
  view: EditorView,
  { label, files: edits }: CodeFix,
  asked: ReadonlyMap<string, string>,
  { files, write }: LanguageServiceOptions,
) {
  const choose = () => {
    if (files() === asked) write(edits);
    else saySentence(view, 'The code has changed meanwhile. Ask again.');
  };
  return { label, choose };
}

/** Puts the imports of the file in order, and takes those away that nothing uses. */
export function organise(view: EditorView, options: LanguageServiceOptions): boolean {
  const path = view.state.facet(filePath);
  if (view.state.readOnly || !isScript(path)) return false;
  void organiseImports(view, path, options);
  return true;
}

async function organiseImports(
  view: EditorView,
  path: string,
  { client, files, write }: LanguageServiceOptions,
): Promise<void> {
  const asked = files();
  const edits = await client.ask('imports', { path });
  if (!edits || files() !== asked) return;
  if (changes(edits)) write(edits);
  else saySentence(view, 'The imports are in order.');
}

function changes(edits: readonly FileEdits[]): boolean {
  return edits.some((file) => file.edits.length > 0);
}
