import { isMac, nameKeys } from '@vitrine/editor/press';
import type { Preferences } from '../preferences/preferences.ts';

/** As much of a command as its keys need, be it the editor’s or the workspace’s. */
export interface Keyed {
  readonly id: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
}

type ChosenKeys = Preferences['keys'];

/** The keys that come with a command on this machine, by their names. */
export function keysThatCome({ keys, mac }: Keyed): readonly string[] {
  return ((isMac() && mac) || keys).map((each) => nameKeys(each));
}

/**
 * The keys of each command as they count: what somebody has chosen takes a key away from the command
 * that came with it.
 */
export function planKeys(
  commands: readonly Keyed[],
  chosen: ChosenKeys,
): ReadonlyMap<string, readonly string[]> {
  const taken = new Set(Object.values(chosen).flatMap((keys) => keys.map((key) => nameKeys(key))));
  return new Map(
    commands.map((command) => {
      const own = Object.hasOwn(chosen, command.id) ? chosen[command.id] : undefined;
      const keys = own?.map((key) => nameKeys(key));
      return [command.id, keys ?? keysThatCome(command).filter((key) => !taken.has(key))];
    }),
  );
}

/** The editor’s commands whose keys are not those that came with them: what the editor is told. */
export function keysForEditor(commands: readonly Keyed[], chosen: ChosenKeys): ChosenKeys {
  const plan = planKeys(commands, chosen);
  const isOther = (command: Keyed) =>
    plan.get(command.id)?.join(' ') !== keysThatCome(command).join(' ');
  return Object.fromEntries(commands.filter(isOther).map(({ id }) => [id, plan.get(id) ?? []]));
}

/** Gives a command one key in the place of all it had, and takes it from whoever had chosen it. */
export function chooseKey(chosen: ChosenKeys, id: string, key: string): ChosenKeys {
  const others = Object.entries(chosen).map(([other, keys]) => [
    other,
    keys.filter((each) => nameKeys(each) !== key),
  ]);
  return { ...Object.fromEntries(others), [id]: [key] };
}

/** Back to the keys that came with a command. */
export function resetKey(chosen: ChosenKeys, id: string): ChosenKeys {
  return Object.fromEntries(Object.entries(chosen).filter(([other]) => other !== id));
}
