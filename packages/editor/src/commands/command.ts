import { Facet } from '@codemirror/state';
import type { Command } from '@codemirror/view';

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

/** Creates a command that runs the available implementations. */
export function createServiceCommand(id: ServiceCommandId): Command {
  return (view) =>
    view.state.facet(serviceCommands).some((each) => each.id === id && each.run(view));
}

/** Creates a command that runs an action of the file's owner. */
export function createFileActionCommand(action: keyof FileActions): Command {
  return ({ state }) => state.facet(fileActions)?.[action]() ?? false;
}
