import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Asked, CodeFix, FileEdits } from '../typescript/messages.ts';
import { filePath, hasRuledStyles, isScript, isScriptAt } from '../understood.ts';
import { saySentence } from './choice-list.ts';
import type { LanguageServiceOptions } from './language-service.ts';

/** Quick fixes from TypeScript for scripts, and from the CSS language service for styles. */
export async function findFixes(
  { client, markup }: LanguageServiceOptions,
  at: Asked['fixes'],
  state: EditorState,
): Promise<readonly CodeFix[]> {
  if (isScriptAt(state, at.from)) return (await client.ask('fixes', at)) ?? [];
  return hasRuledStyles(at.path) ? ((await markup.ask('fixes', at)) ?? []) : [];
}

/** Sorts the file's imports and removes unused ones. */
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
  const requestedFiles = files();
  const edits = await client.ask('imports', { path });
  if (!edits || files() !== requestedFiles) return;
  if (hasEdits(edits)) write(edits);
  else saySentence(view, 'Imports are already organized.');
}

function hasEdits(edits: readonly FileEdits[]): boolean {
  return edits.some((file) => file.edits.length > 0);
}
