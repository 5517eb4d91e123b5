import { Facet } from '@codemirror/state';
import type { Command } from '@codemirror/view';

/** Something the editor does, under a name that people read and by keys that they can change. */
export interface EditorCommand {
  /** Kept in preferences; never changes. */
  readonly id: string;
  readonly name: string;
  /** Of all machines but a Mac, where `mac` says otherwise. */
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  /** Where else than in the text the keys count. */
  readonly scope?: 'editor search-panel';
  readonly run: Command;
}

/** What a file's owner does for it, since undo, format and save reach beyond the text. */
export interface FileActions {
  undo(): boolean;
  redo(): boolean;
  save(): boolean;
  format(): boolean;
}

export const fileActions = Facet.define<FileActions, FileActions | undefined>({
  combine: ([first]) => first,
});

/** What only a service knows how to do. */
export interface ServiceCommand {
  readonly id: ServiceCommandId;
  readonly run: Command;
}

export type ServiceCommandId =
  'definition' | 'references' | 'rename' | 'fix' | 'organiseImports' | 'signature' | 'description';

/** Several may answer for one id: the first that does something has done it. */
export const serviceCommands = Facet.define<ServiceCommand>();

/** Asks the services that are there. */
export function byService(id: ServiceCommandId): Command {
  return (view) =>
    view.state.facet(serviceCommands).some((each) => each.id === id && each.run(view));
}

/** Asks whom the file belongs to. */
export function byOwner(action: keyof FileActions): Command {
  return ({ state }) => state.facet(fileActions)?.[action]() ?? false;
}
