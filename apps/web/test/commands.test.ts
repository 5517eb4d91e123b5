import { normalizeKeys, listKeyNames, formatKeys, typesCharacter } from '@vitrine/editor/key-names';
import {
  keyboardLayouts,
  listAltGrCharacters,
  listOptionCharacters,
} from '@vitrine/testing/keyboard-layouts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../app/commands/all-commands.ts';
import { formatCommand } from '../app/commands/format-shortcut.ts';
import { searchCommands } from '../app/commands/search-commands.ts';
import {
  setKeybinding,
  customEditorKeys,
  getDefaultKeys,
  resolveKeybindings,
  resetKeybinding,
} from '../app/commands/keybindings.ts';

const defaultKeys = allCommands.flatMap(({ keys }) => keys.map((key) => normalizeKeys(key, false)));
const defaultMacKeys = allCommands.flatMap(({ keys, mac }) =>
  (mac ?? keys).map((key) => normalizeKeys(key, true)),
);

describe('the command tables', () => {
  test('have unique ids, names and keys', () => {
    const twice = (all: readonly string[]) => all.filter((one, at) => all.indexOf(one) !== at);
    expect(twice(allCommands.map(({ id }) => id))).toEqual([]);
    expect(twice(allCommands.map(({ name }) => name))).toEqual([]);
    expect(twice(defaultKeys)).toEqual([]);
    expect(twice(defaultMacKeys)).toEqual([]);
  });

  test('have the Format command that the menu shows', () => {
    expect(allCommands).toContainEqual(expect.objectContaining(formatCommand));
  });

  test('bind no key that types a character, with AltGr or with Option', () => {
    expect(defaultKeys.filter((key) => typesCharacter(key, false))).toEqual([]);
    expect(defaultMacKeys.filter((key) => typesCharacter(key, true))).toEqual([]);
  });

  test.each(keyboardLayouts)('leave what AltGr and Option type on the $name keyboard', (layout) => {
    const taken = listAltGrCharacters(layout).flatMap(({ keyCode, character }) => {
      // As some browsers on Windows report AltGr.
      const names = listKeyNames(press(character, keyCode, 'ctrl', 'alt'), false);
      return names.filter((name) => defaultKeys.includes(name));
    });
    for (const { keyCode, character } of listOptionCharacters(layout))
      for (const typed of [character, 'Dead'])
        for (const held of [['alt'], ['alt', 'shift']] as const)
          taken.push(...listKeyNames(press(typed, keyCode, ...held), true));
    expect(taken).toEqual([]);
  });

  test.each([
    ['commands', 'Mod-k'],
    ['commands', 'F1'],
    ['save', 'Mod-s'],
    ['run', 'Mod-Enter'],
    ['stop', 'Mod-Shift-Enter'],
    ['format', 'Alt-Shift-f'],
    ['sidebar', 'Mod-b'],
    ['resultPane', 'Mod-j'],
    ['console', 'Mod-`'],
    ['tab3', 'Alt-3'],
    ['share', 'Mod-Shift-s'],
    ['comment', 'Mod-/'],
    ['nextOccurrence', 'Mod-d'],
    ['searchFiles', 'Mod-Shift-f'],
    ['shortcuts', '?'],
  ])('has %s at %s', (id, key) => {
    const command = allCommands.find((each) => each.id === id);
    expect(command && getDefaultKeys(command)).toContain(key);
  });
});

describe('custom keybindings', () => {
  const ids = allCommands.map(({ id }) => id);

  test('belong to one command each, in any order of changes', () => {
    const key = fc.constantFrom('Mod-d', 'Mod-k', 'Mod-j', 'F8', 'Mod-Shift-y', 'Alt-q');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...ids), key), { maxLength: 12 }),
        (choices) => {
          let chosen = {};
          for (const [id, choice] of choices) chosen = setKeybinding(chosen, id, choice);
          const all = [...resolveKeybindings(allCommands, chosen).values()].flat();
          expect(new Set(all).size).toBe(all.length);
          const last = choices.at(-1);
          if (last) expect(resolveKeybindings(allCommands, chosen).get(last[0])).toEqual([last[1]]);
        },
      ),
    );
  });

  test('are passed to the editor when it loses a key, and can be reset', () => {
    const chosen = setKeybinding({}, 'run', 'Mod-d');
    expect(customEditorKeys(allCommands, chosen)).toMatchObject({ nextOccurrence: [] });
    expect(customEditorKeys(allCommands, resetKeybinding(chosen, 'run'))).toEqual({});
  });
});

describe('key names', () => {
  test('include Option with a key that types nothing', () => {
    expect(listKeyNames(press('F12', 123, 'alt'), true)).toEqual(['Alt-F12']);
    expect(listKeyNames(press('ArrowUp', 38, 'alt', 'shift'), true)).toEqual(['Alt-Shift-ArrowUp']);
  });

  test('are stored alike on all platforms and displayed per platform', () => {
    expect(normalizeKeys('Shift-Ctrl-P', false)).toBe('Mod-Shift-p');
    expect(normalizeKeys('Shift-Cmd-P', true)).toBe('Mod-Shift-p');
    expect(normalizeKeys('Ctrl--', false)).toBe('Mod--');
    expect(formatKeys('Mod-Shift-p', false)).toBe('Ctrl+Shift+P');
    expect(formatKeys('Mod-Shift-p', true)).toBe('⇧⌘P');
    expect(formatKeys('Alt-ArrowUp', false)).toBe('Alt+↑');
  });

  test('match a key press on other keyboard layouts too', () => {
    expect(listKeyNames(press('P', 80, 'ctrl', 'shift'), false)).toEqual(['Mod-Shift-p']);
    expect(listKeyNames(press('/', 55, 'ctrl', 'shift'), false)).toEqual(['Mod-/', 'Mod-Shift-7']);
    expect(listKeyNames(press('F', 70, 'ctrl', 'shift'), true)).toEqual(['Ctrl-Shift-f']);
    expect(listKeyNames(press('к', 82, 'ctrl'), false)).toEqual(['Mod-к', 'Mod-r']);
    expect(listKeyNames(press('?', 191, 'shift'), false)).toEqual(['?']);
    expect(listKeyNames(press('Control', 17, 'ctrl'), false)).toEqual([]);
  });

  test('are empty for characters typed with AltGr', () => {
    const typed = press('@', 81, 'ctrl', 'alt', 'graph');
    expect(listKeyNames(typed, false)).toEqual([]);
  });
});

describe('command search', () => {
  test('matches characters in order, and words in any order', () => {
    const names = (query: string) =>
      searchCommands(allCommands, { query, recent: [] }).map(({ command }) => command.name);
    expect(names('mlu')[0]).toBe('Move line up');
    expect(names('console')).toContain('Toggle console');
    expect(names('zzzz')).toEqual([]);
  });

  test('lists all commands, recently used ones first', () => {
    const found = searchCommands(allCommands, { query: '', recent: ['fold', 'gone', 'run'] });
    expect(found).toHaveLength(allCommands.length);
    expect(found.slice(0, 2).map(({ command }) => command.id)).toEqual(['fold', 'run']);
  });
});

type Held = 'ctrl' | 'alt' | 'shift' | 'graph';

/** Keyboard event stand-in, since Node has no `KeyboardEvent`. */
function press(key: string, keyCode: number, ...held: Held[]): KeyboardEvent {
  const event = {
    key,
    keyCode,
    ctrlKey: held.includes('ctrl'),
    altKey: held.includes('alt'),
    shiftKey: held.includes('shift'),
    metaKey: false,
    getModifierState: () => held.includes('graph'),
  };
  // Only the properties that the code reads.
  return event as unknown as KeyboardEvent;
}
