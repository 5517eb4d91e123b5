import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { LanguageParams, CodeAction, FileEdits } from '../typescript/messages.ts';
import { filePath, hasLintedStyles, isScript, isScriptAt } from '../language-facets.ts';
import { showMessageAtCursor } from './choice-list.ts';
import type { LanguageServiceOptions } from './language-clients.ts';

/** Quick fixes from TypeScript for scripts, and from the CSS language service for styles. */
export async function findLanguageQuickFixes(
  { scripts: client, markup }: LanguageServiceOptions,
  at: LanguageParams['fixes'],
  state: EditorState,
): Promise<readonly CodeAction[]> {
  if (isScriptAt(state, at.from)) return (await client.request('fixes', at)) ?? [];
  return hasLintedStyles(at.path) ? ((await markup.request('fixes', at)) ?? []) : [];
}

/** Sorts the file's imports and removes unused ones. */
export function organizeImports(view: EditorView, options: LanguageServiceOptions): boolean {
  const path = view.state.facet(filePath);
  if (view.state.readOnly || !isScript(path)) return false;
  void applyOrganizedImports(view, path, options);
  return true;
}

async function applyOrganizedImports(
  view: EditorView,
  path: string,
  { scripts: client, files, write }: LanguageServiceOptions,
): Promise<void> {
  const requestedFiles = files();
  const edits = await client.request('imports', { path });
  if (!edits || files() !== requestedFiles) return;
  if (hasEdits(edits)) write(edits);
  else showMessageAtCursor(view, 'Imports are already organized.');
}

function hasEdits(edits: readonly FileEdits[]): boolean {
  return edits.some((file) => file.edits.length > 0);
}
