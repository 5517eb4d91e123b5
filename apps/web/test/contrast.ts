// WCAG 2.2: 1.4.3 requires 4.5:1 for text, 1.4.11 requires 3:1 for controls and states.

export type Rgb = readonly [number, number, number];
export type Scheme = 'light' | 'dark';
interface Color {
  readonly rgb: Rgb;
  readonly alpha: number;
}
/** Custom properties by name. */
export type Declared = ReadonlyMap<string, string>;

/** Parses the custom properties that stylesheets or rules declare. Later ones override. */
export function readDeclared(...sheets: readonly string[]): Declared {
  return new Map(
    sheets.flatMap((css) =>
      [...css.matchAll(/^ {2}(--[\w-]+):\s*([^;]+);/gm)].map(
        ([, name = '', value = '']) => [name, value] as const,
      ),
    ),
  );
}

/**
 * Converts an OKLCH color to linear sRGB
 * (https://www.w3.org/TR/css-color-4/#color-conversion-code).
 */
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

export function readColor(declared: Declared, name: string, scheme: Scheme): Color {
  const value = declared.get(name);
  if (value === undefined) throw new Error(`no token ${name}`);
  const link = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (link) return readColor(declared, link, scheme);
  const colors = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+)%)?\)/g)];
  const found = colors.length > 1 && scheme === 'dark' ? colors[1] : colors[0];
  if (!found) throw new Error(`${name} is no color: ${value}`);
  const [, lightness, chroma, hue, alpha = '100'] = found;
  return {
    rgb: toLinear(Number(lightness), Number(chroma), Number(hue)),
    alpha: Number(alpha) / 100,
  };
}

const gamma = (v: number) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

/** Blends a translucent color in gamma-encoded sRGB, as browsers do. */
export function over(top: Color, below: Rgb): Rgb {
  const mix = (i: 0 | 1 | 2) =>
    linear(gamma(top.rgb[i]) * top.alpha + gamma(below[i]) * (1 - top.alpha));
  return [mix(0), mix(1), mix(2)];
}

export function contrast(one: Rgb, other: Rgb): number {
  const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
