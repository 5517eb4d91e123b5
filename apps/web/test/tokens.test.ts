import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// WCAG 2.2: 1.4.3 asks 4.5:1 of text, 1.4.11 asks 3:1 of what tells a control or a state apart.

type Rgb = readonly [number, number, number];
type Colour = { readonly rgb: Rgb; readonly alpha: number };

const css = readFileSync(new URL('../app/ui/tokens.css', import.meta.url), 'utf8');
const declared = new Map(
  [...css.matchAll(/^ {2}(--[\w-]+):\s*([^;]+);/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** The linear sRGB of an OKLCH colour (https://www.w3.org/TR/css-color-4/#color-conversion-code). */
function toLinear(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return [
    clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function read(name: string, theme: 'light' | 'dark'): Colour {
  const value = declared.get(name);
  if (value === undefined) throw new Error(`no token ${name}`);
  const link = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (link) return read(link, theme);
  const colours = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+)%)?\)/g)];
  const found = colours.length > 1 && theme === 'dark' ? colours[1] : colours[0];
  if (!found) throw new Error(`${name} is no colour: ${value}`);
  const [, lightness, chroma, hue, alpha = '100'] = found;
  return {
    rgb: toLinear(Number(lightness), Number(chroma), Number(hue)),
    alpha: Number(alpha) / 100,
  };
}

const gamma = (v: number) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

/** Browsers mix translucent colours in gamma-encoded sRGB. */
function over(top: Colour, below: Rgb): Rgb {
  const mix = (i: 0 | 1 | 2) =>
    linear(gamma(top.rgb[i]) * top.alpha + gamma(below[i]) * (1 - top.alpha));
  return [mix(0), mix(1), mix(2)];
}

function contrast(one: Rgb, other: Rgb): number {
  const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['--surface-page', '--surface-panel', '--surface-float'];
const syntax = [...declared.keys()].filter((name) => name.startsWith('--syntax-'));

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(['--text', '--text-quiet', '--accent-text', '--danger', '--warning', '--success'])(
    '%s can be read on every surface, also under the pointer',
    (tone) => {
      for (const surface of surfaces) {
        const hovered = over(read('--fill-hover', theme), read(surface, theme).rgb);
        expect.soft(contrast(read(tone, theme).rgb, hovered), surface).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test.each(['danger', 'warning', 'accent'])('text can be read on the fill of %s', (status) => {
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
  ])('%s can be read on %s', (text, ground) => {
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
    '%s can be read in the editor, also selected',
    (tone) => {
      const ground = read('--editor-background', theme).rgb;
      const colour = read(tone, theme).rgb;
      expect
        .soft(contrast(colour, over(read('--editor-active-line', theme), ground)))
        .toBeGreaterThanOrEqual(4.5);
      expect
        .soft(contrast(colour, over(read('--editor-selection', theme), ground)))
        .toBeGreaterThanOrEqual(3);
    },
  );
});
