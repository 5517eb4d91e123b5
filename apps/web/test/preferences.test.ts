import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parsePreferencesCookie,
  formatPreferencesCookie,
} from '../app/preferences/device-preferences.ts';
import {
  codeThemes,
  defaultPreferences,
  lineHeights,
  parseFont,
  parsePreferences,
  runModes,
  tabSizes,
  type Preferences,
} from '../app/preferences/preferences.ts';

const someone = '0b9e3d52-1111-4222-8333-444455556666';

const preferences: fc.Arbitrary<Preferences> = fc.record({
  keymap: fc.constantFrom('vscode' as const, 'vim' as const, 'emacs' as const),
  keys: fc.dictionary(
    fc.stringMatching(/^[a-z]{3,12}$/),
    fc.array(fc.constantFrom('Mod-d', 'Alt-x', 'F9'), { maxLength: 2 }),
    { noNullPrototype: true },
  ),
  tabSize: fc.constantFrom(...tabSizes),
  wraps: fc.boolean(),
  showsGuides: fc.boolean(),
  showsWhitespace: fc.boolean(),
  showsScopes: fc.boolean(),
  font: fc.constantFrom('', 'Fira Code', 'Źródło 2'),
  fontSize: fc.integer({ min: 10, max: 32 }),
  lineHeight: fc.constantFrom(...lineHeights),
  ligatures: fc.boolean(),
  codeTheme: fc.constantFrom(...codeThemes),
  formatsOnSave: fc.boolean(),
  addsPackages: fc.boolean(),
  runMode: fc.constantFrom(...runModes),
});

describe('preferences', () => {
  test('survive the cookie, except for keybindings', () => {
    fc.assert(
      fc.property(preferences, (kept) => {
        const [pair = ''] = formatPreferencesCookie(kept, someone).split(';');
        expect(parsePreferencesCookie(`theme=dark; ${pair}`, someone)).toEqual({
          ...kept,
          keys: {},
        });
      }),
    );
  });

  test('survive the account', () => {
    fc.assert(
      fc.property(preferences, (kept) => {
        expect(parsePreferences(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
      }),
    );
  });

  test('are always valid, whatever is parsed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(fc.constantFrom(...Object.keys(defaultPreferences)), fc.jsonValue()),
        ),
        (value) => {
          const read = parsePreferences(value);
          expect(parsePreferences(read)).toEqual(read);
          expect(read.fontSize).toBeGreaterThanOrEqual(10);
          expect(read.fontSize).toBeLessThanOrEqual(32);
          expect(codeThemes).toContain(read.codeTheme);
        },
      ),
    );
  });

  test('of a new user start as the visitor’s', () => {
    const [pair = ''] = formatPreferencesCookie({ ...defaultPreferences, wraps: true }, null).split(
      ';',
    );
    expect(parsePreferencesCookie(pair, someone).wraps).toBe(true);
    const [own = ''] = formatPreferencesCookie(defaultPreferences, someone).split(';');
    expect(parsePreferencesCookie(`${pair}; ${own}`, someone).wraps).toBe(false);
  });

  test('reject font names that could break out of CSS', () => {
    for (const font of [`x'; background: url(//a)`, 'a;b', 'a)', 'a\\', '"', 'x'.repeat(61)])
      expect(parseFont(font)).toBeUndefined();
    expect(parseFont('IBM Plex Mono')).toBe('IBM Plex Mono');
  });
});
