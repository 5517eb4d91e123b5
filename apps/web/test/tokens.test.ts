import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { codeThemes } from '../app/preferences/preferences.ts';
import { contrast, over, readColor, readDeclared, type Scheme } from './contrast.ts';

const css = (name: string) => readFileSync(new URL(`../app/${name}`, import.meta.url), 'utf8');
const declared = readDeclared(css('ui/theme/tokens.css'));
const read = (name: string, scheme: Scheme) => readColor(declared, name, scheme);

const surfaces = ['--surface-page', '--surface-panel', '--surface-float'];
const syntax = [...declared.keys()].filter((name) => name.startsWith('--syntax-'));

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(['--text', '--text-quiet', '--accent-text', '--danger', '--warning', '--success'])(
    '%s is readable on every surface, also hovered',
    (tone) => {
      for (const surface of surfaces) {
        const hovered = over(read('--fill-hover', theme), read(surface, theme).rgb);
        expect.soft(contrast(read(tone, theme).rgb, hovered), surface).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test.each(['danger', 'warning', 'accent'])('text is readable on the fill of %s', (status) => {
    for (const surface of surfaces) {
      const fill = over(read(`--${status}-fill`, theme), read(surface, theme).rgb);
      const tone = status === 'accent' ? '--accent-text' : `--${status}`;
      expect.soft(contrast(read(tone, theme).rgb, fill), surface).toBeGreaterThanOrEqual(4.5);
      expect.soft(contrast(read('--text-quiet', theme).rgb, fill)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each([
    ['--on-accent', '--accent'],
    ['--on-accent', '--accent-hover'],
    ['--on-danger', '--danger-solid'],
    ['--on-danger', '--danger-solid-hover'],
  ])('%s is readable on %s', (text, ground) => {
    expect(contrast(read(text, theme).rgb, read(ground, theme).rgb)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['--edge-control', '--focus', '--accent'])(
    '%s stands out from every surface',
    (tone) => {
      for (const surface of surfaces) {
        const ratio = contrast(read(tone, theme).rgb, read(surface, theme).rgb);
        expect.soft(ratio, surface).toBeGreaterThanOrEqual(3);
      }
    },
  );

  test.each([...syntax, '--editor-foreground', '--editor-gutter-foreground'])(
    '%s is readable in the editor, also selected',
    (tone) => {
      const ground = read('--editor-background', theme).rgb;
      const color = read(tone, theme).rgb;
      expect
        .soft(contrast(color, over(read('--editor-active-line', theme), ground)))
        .toBeGreaterThanOrEqual(4.5);
      expect
        .soft(contrast(color, over(read('--editor-selection', theme), ground)))
        .toBeGreaterThanOrEqual(3);
    },
  );
});

describe.each(['light', 'dark'] as const)('with high contrast, in the %s theme', (theme) => {
  const more = readDeclared(css('ui/theme/tokens.css'), css('ui/theme/more-contrast.css'));
  const color = (name: string) => readColor(more, name, theme);

  test.each([
    '--text',
    '--text-quiet',
    '--accent-text',
    '--danger',
    '--warning',
    '--success',
    ...syntax,
  ])('%s has a contrast of 7:1 on every surface', (tone) => {
    for (const surface of surfaces)
      expect.soft(contrast(color(tone).rgb, color(surface).rgb), surface).toBeGreaterThanOrEqual(7);
  });

  test.each(['--edge-control', '--focus', '--accent'])('%s has a contrast of 4.5:1', (tone) => {
    for (const surface of surfaces)
      expect
        .soft(contrast(color(tone).rgb, color(surface).rgb), surface)
        .toBeGreaterThanOrEqual(4.5);
  });

  test('lines between surfaces are visible', () => {
    for (const surface of surfaces)
      expect
        .soft(contrast(color('--hairline').rgb, color(surface).rgb), surface)
        .toBeGreaterThanOrEqual(3);
  });
});

const sheet = css('preferences/code-themes.css');
const rules = [...sheet.matchAll(/\[data-code-theme='([\w-]+)'\] \{\n([^}]*)\}/g)];
const themed = rules.flatMap(([, name = '', body = '']) =>
  (['light', 'dark'] as const)
    .filter(
      (scheme) =>
        new RegExp(`color-scheme: ${scheme};`).test(body) || !body.includes('color-scheme'),
    )
    .map((scheme) => [name, scheme, body] as const),
);

test('every editor theme defines its colors', () => {
  expect(new Set(['vitrine', ...rules.map(([, name]) => name)])).toEqual(new Set(codeThemes));
});

test.each(themed)('code in theme %s, %s, is readable, also selected', (_name, scheme, body) => {
  const own = readDeclared(body);
  const all = readDeclared(css('ui/theme/tokens.css'), body);
  for (const name of syntax.filter((each) => !/constant|variable|heading|link|invalid/.test(each)))
    expect(own.has(name), name).toBe(true);
  const ground = readColor(own, '--editor-background', scheme).rgb;
  const line = over(readColor(own, '--editor-active-line', scheme), ground);
  const selected = over(readColor(own, '--editor-selection', scheme), ground);
  const tones = [...syntax, '--editor-foreground', '--editor-gutter-foreground', '--danger'];
  for (const tone of tones) {
    const { rgb } = readColor(all, tone, scheme);
    expect.soft(contrast(rgb, line), tone).toBeGreaterThanOrEqual(4.5);
    expect.soft(contrast(rgb, selected), `${tone} selected`).toBeGreaterThanOrEqual(3);
  }
});
