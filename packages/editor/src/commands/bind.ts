import type { Extension } from '@codemirror/state';
import { keymap, type KeyBinding } from '@codemirror/view';
import { isMac } from '../press.ts';
import type { EditorCommand } from './command.ts';
import { editorCommands } from './table.ts';

/** Keys that somebody has chosen, by the command’s id; an empty list takes them away. */
export type ChosenKeys = Readonly<Record<string, readonly string[]>>;

/** The keys that come with a command, on this machine. */
export function defaultKeys({ keys, mac }: Pick<EditorCommand, 'keys' | 'mac'>): readonly string[] {
  return (isMac() && mac) || keys;
}

/** Binds the commands to their keys; what somebody has chosen comes before what a key has been. */
export function bindCommands(chosen: ChosenKeys): Extension {
  const isChosen = ({ id }: EditorCommand) => Object.hasOwn(chosen, id);
  const ours = editorCommands.filter(isChosen);
  const others = editorCommands.filter((command) => !isChosen(command));
  const bindings = [...ours, ...others].flatMap((command) =>
    (chosen[command.id] ?? defaultKeys(command)).map((key) => bind(command, key)),
  );
  return keymap.of(bindings);
}

function bind({ run, scope }: EditorCommand, key: string): KeyBinding {
  return { key, run, preventDefault: true, ...(scope && { scope }) };
}
