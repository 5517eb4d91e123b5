import type { Color } from '../markup/messages.ts';

/** Formats a color as a CSS `rgb()` value. */
export function formatCssColor({ red, green, blue, alpha }: Color): string {
  const [r, g, b] = [red, green, blue].map((channel) => Math.round(channel * 255));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Formats a color as "#rrggbb", the value of `<input type=color>`. Drops the alpha. */
export function formatHexColor({ red, green, blue }: Color): string {
  const channels = [red, green, blue].map((channel) =>
    Math.round(Math.min(Math.max(channel, 0), 1) * 255),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** The color of an `<input type=color>` value and an opacity in percent. */
export function parseColorFields(hex: string, opacity: number): Color {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255,
  );
  return { red, green, blue, alpha: Math.min(Math.max(opacity, 0), 100) / 100 };
}
