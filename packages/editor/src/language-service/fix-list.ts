import { Facet, type EditorState, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { serviceCommands } from '../commands/command.ts';
import type { Asked, CodeFix, FileEdits } from '../typescript/messages.ts';
import { filePath } from '../understood.ts';
import { choiceList, openChoices, saySentence, type Choice } from './choice-list.ts';
import { floats } from './floats.ts';

/** Who knows what mends problems. */
export interface FixSource {
  /** The project's texts; the same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Makes these edits, as one step of undo. */
  readonly write: (edits: readonly FileEdits[]) => void;
  /** What mends the problems that touch a stretch of a file; nothing where it knows none. */
  readonly find: (at: Asked['fixes'], state: EditorState) => Promise<readonly CodeFix[]>;
}

export const fixSource = Facet.define<FixSource>();

/** Offers what mends the problem at the cursor, or those of its line. */
export const fixList: Extension = [
  choiceList,
  floats,
  serviceCommands.of({ id: 'fix', run: mend }),
];

function mend(view: EditorView): boolean {
  if (view.state.readOnly) return false;
  void offerFixes(view);
  return true;
}

async function offerFixes(view: EditorView): Promise<void> {
  const { state } = view;
  const path = state.facet(filePath);
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const near = await findAll(view, { path, from: main.from, to: main.to });
  const found =
    near.length > 0 ? near : await findAll(view, { path, from: line.from, to: line.to });
  if (view.state.doc !== state.doc || view.state.facet(filePath) !== path) return;
  if (found.length === 0) return saySentence(view, 'There is no fix here.');
  openChoices(view, { title: 'Fixes', pos: main.head, choices: found });
}

/** What one source has found waits this long for the other ones, in milliseconds. */
const othersMs = 1_000;

/** Asks all sources. One that is still getting ready does not hold up what another one has found. */
async function findAll(view: EditorView, at: Asked['fixes']): Promise<Choice[]> {
  const sources = view.state.facet(fixSource);
  const found: Choice[][] = sources.map(() => []);
  const something = Promise.withResolvers<void>();
  const all = sources.map(async (source, index) => {
    const asked = source.files();
    const fixes = await source.find(at, view.state);
    found[index] = fixes.map((fix) => toChoice(view, fix, source, asked));
    if (fixes.length > 0) setTimeout(something.resolve, othersMs);
  });
  await Promise.race([Promise.all(all), something.promise]);
  return found.flat();
}

function toChoice(
  view: EditorView,
  { label, files: edits }: CodeFix,
  { files, write }: FixSource,
  asked: ReadonlyMap<string, string>,
): Choice {
  const choose = () => {
    if (files() === asked) write(edits);
    else saySentence(view, 'The code has changed meanwhile. Ask again.');
  };
  return { label, choose };
}
