import type { Colour } from '../markup/messages.ts';

/** As a style takes it. */
export function toCss({ red, green, blue, alpha }: Colour): string {
  const [r, g, b] = [red, green, blue].map((part) => Math.round(part * 255));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** "#rrggbb", as a field for colours holds it. */
export function toHex({ red, green, blue }: Colour): string {
  const parts = [red, green, blue].map((part) => Math.round(Math.min(Math.max(part, 0), 1) * 255));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** The colour of such a field, and how opaque it is, in hundredths. */
export function fromFields(hex: string, opacity: number): Colour {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255,
  );
  return { red, green, blue, alpha: Math.min(Math.max(opacity, 0), 100) / 100 };
}
