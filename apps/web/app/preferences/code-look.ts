import type { CSSProperties } from 'react';
import { initialPreferences, type LineHeight, type Preferences } from './preferences.ts';

const factors: Readonly<Record<LineHeight, number>> = { tight: 1.35, regular: 1.54, loose: 1.85 };

/** The editor’s measures as styles of what is around it; only what somebody has chosen. */
export function codeLook(preferences: Preferences): CSSProperties {
  const { font, fontSize, lineHeight, ligatures } = preferences;
  const isSized = fontSize !== initialPreferences.fontSize;
  const isSpaced = isSized || lineHeight !== initialPreferences.lineHeight;
  const look: Record<string, string> = {};
  if (font !== '') look['--editor-font'] = `'${font}', var(--font-code)`;
  if (isSized) look['--editor-font-size'] = `max(${fontSize}px, var(--least-code-size))`;
  if (isSpaced)
    look['--editor-line-height'] =
      `round(calc(var(--editor-font-size) * ${factors[lineHeight]}), 1px)`;
  if (ligatures) look['--editor-ligatures'] = 'normal';
  return look;
}
