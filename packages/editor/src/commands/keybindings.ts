import type { Extension } from '@codemirror/state';
import { keymap, type KeyBinding } from '@codemirror/view';
import { isMac } from '../key-names.ts';
import type { EditorCommand } from './command.ts';
import { editorCommands } from './editor-commands.ts';

/** Custom keybindings, by command id. An empty list removes a command's keys. */
export type CustomKeybindings = Readonly<Record<string, readonly string[]>>;

/** A command's default keys on this platform. */
function getDefaultCommandKeys({
  keys,
  mac,
}: Pick<EditorCommand, 'keys' | 'mac'>): readonly string[] {
  return (isMac() && mac) || keys;
}

/** Binds all commands. Custom keybindings take precedence over default ones. */
export function bindCommands(customKeys: CustomKeybindings): Extension {
  const isCustomized = ({ id }: EditorCommand) => Object.hasOwn(customKeys, id);
  const customized = editorCommands.filter(isCustomized);
  const unchanged = editorCommands.filter((command) => !isCustomized(command));
  const bindings = [...customized, ...unchanged].flatMap((command) =>
    (customKeys[command.id] ?? getDefaultCommandKeys(command)).map((key) => bind(command, key)),
  );
  return keymap.of(bindings);
}

function bind({ run, scope }: EditorCommand, key: string): KeyBinding {
  return { key, run, preventDefault: true, ...(scope && { scope }) };
}
