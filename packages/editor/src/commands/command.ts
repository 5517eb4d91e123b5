import { Facet, type EditorState } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import { hasLanguageService } from '../language-facets.ts';

/** A command of the editor, with a name for the command palette and keys that users can change. */
export interface EditorCommand {
  /** Stored in user preferences; never changes. */
  readonly id: string;
  readonly name: string;
  /** Keys on all platforms, except a Mac if `mac` is set. */
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  /** Where the keys work, if not only in the text. */
  readonly scope?: 'editor search-panel';
  readonly run: Command;
}

/**
 * Actions that the file's owner performs, since undo, save and format reach beyond the editor
 * state.
 */
export interface FileActions {
  undo(): boolean;
  redo(): boolean;
  save(): boolean;
  format(): boolean;
}

/** Actions of the shown file, provided by the editor. */
export const fileActions = Facet.define<FileActions, FileActions | undefined>({
  combine: ([first]) => first,
});

/** A command implemented by a language service or linter. */
export interface ServiceCommand {
  readonly id: ServiceCommandId;
  readonly run: Command;
}

type ServiceCommandId =
  'definition' | 'references' | 'rename' | 'fix' | 'organiseImports' | 'signature' | 'description';

/**
 * Implementations of service commands. Several may have the same id: the first that returns true
 * wins.
 */
export const serviceCommands = Facet.define<ServiceCommand>();

/**
 * Creates a command that runs the available implementations. Until the language services have
 * loaded, it waits for them, see `runWaitingCommand`.
 */
export function createServiceCommand(id: ServiceCommandId): Command {
  return (view) => {
    if (runServiceCommand(id, view)) return true;
    if (view.state.facet(hasLanguageService)) return false;
    waitingCommands.set(view, { id, state: view.state, since: performance.now() });
    return true;
  };
}

function runServiceCommand(id: ServiceCommandId, view: EditorView): boolean {
  return view.state.facet(serviceCommands).some((each) => each.id === id && each.run(view));
}

/** The last command of each view that waits for the language services, and the state it applies to. */
const waitingCommands = new WeakMap<
  EditorView,
  { readonly id: ServiceCommandId; readonly state: EditorState; readonly since: number }
>();

/** Longest wait of a command for the language services, in milliseconds. */
export const maxServiceWaitMs = 10_000;

/**
 * Runs the command that waits for the language services, unless the text or the cursor has changed
 * since. Returns whether it ran.
 */
export function runWaitingCommand(view: EditorView): boolean {
  const waiting = waitingCommands.get(view);
  waitingCommands.delete(view);
  if (!waiting || performance.now() - waiting.since > maxServiceWaitMs) return false;
  const { doc, selection } = waiting.state;
  if (view.state.doc !== doc || !view.state.selection.eq(selection)) return false;
  return runServiceCommand(waiting.id, view);
}

/** Creates a command that runs an action of the file's owner. */
export function createFileActionCommand(action: keyof FileActions): Command {
  return ({ state }) => state.facet(fileActions)?.[action]() ?? false;
}
