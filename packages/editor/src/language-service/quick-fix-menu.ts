import { Facet, type EditorState, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { serviceCommands } from '../commands/command.ts';
import type { LanguageParams, CodeAction, FileEdits } from '../typescript/messages.ts';
import { filePath } from '../language-facets.ts';
import { choiceList, openChoiceList, showMessageAtCursor, type Choice } from './choice-list.ts';
import { languageServiceTheme } from './theme.ts';

/** A source of quick fixes. */
export interface QuickFixProvider {
  /** The project's texts. Returns the same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Applies edits as one undo step. */
  readonly write: (edits: readonly FileEdits[]) => void;
  /** Finds quick fixes for the diagnostics in a range of a file. */
  readonly findQuickFixes: (
    at: LanguageParams['fixes'],
    state: EditorState,
  ) => Promise<readonly CodeAction[]>;
}

/** Quick fix providers of the shown file. */
export const quickFixProvider = Facet.define<QuickFixProvider>();

/** The quick fix menu: lists the fixes for the diagnostics at the cursor or in its line. */
export const quickFixMenu: Extension = [
  choiceList,
  languageServiceTheme,
  serviceCommands.of({ id: 'fix', run: openQuickFixes }),
];

function openQuickFixes(view: EditorView): boolean {
  if (view.state.readOnly) return false;
  void showFixes(view);
  return true;
}

async function showFixes(view: EditorView): Promise<void> {
  const { state } = view;
  const path = state.facet(filePath);
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const atSelection = await findAllFixes(view, { path, from: main.from, to: main.to });
  const found =
    atSelection.length > 0
      ? atSelection
      : await findAllFixes(view, { path, from: line.from, to: line.to });
  if (view.state.doc !== state.doc || view.state.facet(filePath) !== path) return;
  if (found.length === 0) return showMessageAtCursor(view, 'No quick fixes available here.');
  openChoiceList(view, { title: 'Quick fixes', position: main.head, choices: found });
}

/** How long the fixes of one provider wait for those of the others, in milliseconds. */
const othersTimeoutMs = 1_000;

/** Asks all providers. One that is still loading does not hold up the fixes of others. */
async function findAllFixes(view: EditorView, at: LanguageParams['fixes']): Promise<Choice[]> {
  const providers = view.state.facet(quickFixProvider);
  const found: Choice[][] = providers.map(() => []);
  const firstFound = Promise.withResolvers<void>();
  const requests = providers.map(async (provider, index) => {
    const requestedFiles = provider.files();
    const quickFixes = await provider.findQuickFixes(at, view.state);
    found[index] = quickFixes.map((fix) => toChoice(view, fix, provider, requestedFiles));
    if (quickFixes.length > 0) setTimeout(firstFound.resolve, othersTimeoutMs);
  });
  await Promise.race([Promise.all(requests), firstFound.promise]);
  return found.flat();
}

function toChoice(
  view: EditorView,
  { label, files: edits }: CodeAction,
  { files, write }: QuickFixProvider,
  requestedFiles: ReadonlyMap<string, string>,
): Choice {
  const choose = () => {
    if (files() === requestedFiles) write(edits);
    else showMessageAtCursor(view, 'The code has changed. Try again.');
  };
  return { label, choose };
}
