import { editorCommands } from '@vitrine/editor';
import { workspaceCommands, type Surrounds } from './workspace-commands.ts';

/** A command of either table, as it is listed. */
export interface ListedCommand {
  readonly id: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  readonly needsRoom?: true;
  run(surrounds: Surrounds): void;
}

/** All there is to do by name. It needs the editor’s code, so that only what is loaded late lists it. */
export const allCommands: readonly ListedCommand[] = [
  ...workspaceCommands,
  ...editorCommands.map(({ id, name, keys, mac }) => ({
    id,
    name,
    keys,
    ...(mac && { mac }),
    run: ({ workspace }: Surrounds) => workspace.openFiles.runInEditor(id),
  })),
];
