import { formatKeys } from '@vitrine/editor/key-names';
import type { Preferences } from '../preferences/preferences.ts';
import { resolveKeybindings, type KeyboundCommand } from './keybindings.ts';
import { workspaceCommands } from './workspace-commands.ts';

/**
 * Id and default keys of the editor's Format command. Importing its table would load the editor.
 */
export const formatCommand: KeyboundCommand = {
  id: 'format',
  keys: ['Shift-Alt-f'],
  mac: ['Ctrl-Shift-i'],
};

const commands = [...workspaceCommands, formatCommand];

/** Formats the first key of a workspace command or of Format: "Ctrl+P", or "⌘P" on a Mac. */
export function formatShortcut(id: string, chosen: Preferences['keys']): string | undefined {
  const key = resolveKeybindings(commands, chosen).get(id)?.[0];
  return key === undefined ? undefined : formatKeys(key);
}
