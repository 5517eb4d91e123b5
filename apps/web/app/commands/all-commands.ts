import { editorCommands } from '@vitrine/editor';
import type { WorkspaceIdentity } from '../workspace/sharing/identity.ts';
import { workspaceCommands, type CommandContext } from './workspace-commands.ts';

/** A command of the workspace or the editor. */
export interface ListedCommand {
  readonly id: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  readonly desktopOnly?: true;
  isListed?(identity: WorkspaceIdentity): boolean;
  run(context: CommandContext): void;
}

/**
 * All commands. Importing this loads the editor's code, so only lazily loaded modules may do so.
 */
export const allCommands: readonly ListedCommand[] = [
  ...workspaceCommands,
  ...editorCommands.map(({ id, name, keys, mac }) => ({
    id,
    name,
    keys,
    ...(mac && { mac }),
    run: ({ workspace }: CommandContext) => workspace.openFiles.runInEditor(id),
  })),
];
