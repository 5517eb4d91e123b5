import { isMac, normalizeKeys, typesCharacter } from '@vitrine/editor/key-names';
import type { Preferences } from '../preferences/preferences.ts';

/** The part of a command that keybindings need. Editor and workspace commands both have it. */
export interface KeyboundCommand {
  readonly id: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
}

type ChosenKeys = Preferences['keys'];

/** Default keys of a command on this platform, normalized by `listKeyNames`. */
export function getDefaultKeys({ keys, mac }: KeyboundCommand): readonly string[] {
  return ((isMac() && mac) || keys).map((each) => normalizeKeys(each));
}

/**
 * Effective keys of each command. A user's binding removes the key from the command that has it by
 * default. Keys chosen on another platform that type a character on this one are left out.
 */
export function resolveKeybindings(
  commands: readonly KeyboundCommand[],
  chosen: ChosenKeys,
): ReadonlyMap<string, readonly string[]> {
  const listUsable = (keys: readonly string[]) =>
    keys.filter((key) => !typesCharacter(key)).map((key) => normalizeKeys(key));
  const taken = new Set(Object.values(chosen).flatMap((keys) => listUsable(keys)));
  return new Map(
    commands.map((command) => {
      const custom = Object.hasOwn(chosen, command.id) ? chosen[command.id] : undefined;
      const keys = custom && listUsable(custom);
      const isUsed = keys && (keys.length > 0 || custom.length === 0);
      return [command.id, isUsed ? keys : getDefaultKeys(command).filter((key) => !taken.has(key))];
    }),
  );
}

/**
 * Keys of the editor commands that differ from their defaults, as the editor's settings take them.
 */
export function customEditorKeys(
  commands: readonly KeyboundCommand[],
  chosen: ChosenKeys,
): ChosenKeys {
  const plan = resolveKeybindings(commands, chosen);
  const isCustomized = (command: KeyboundCommand) =>
    plan.get(command.id)?.join(' ') !== getDefaultKeys(command).join(' ');
  return Object.fromEntries(
    commands.filter(isCustomized).map(({ id }) => [id, plan.get(id) ?? []]),
  );
}

/**
 * Binds a single key to a command, replacing its keys and removing the key from other custom
 * bindings.
 */
export function setKeybinding(chosen: ChosenKeys, id: string, key: string): ChosenKeys {
  const others = Object.entries(chosen).map(([other, keys]) => [
    other,
    keys.filter((each) => normalizeKeys(each) !== key),
  ]);
  return { ...Object.fromEntries(others), [id]: [key] };
}

/** Restores a command's default keys. */
export function resetKeybinding(chosen: ChosenKeys, id: string): ChosenKeys {
  return Object.fromEntries(Object.entries(chosen).filter(([other]) => other !== id));
}
