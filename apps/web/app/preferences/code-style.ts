import type { CSSProperties } from 'react';
import { defaultPreferences, type LineHeight, type Preferences } from './preferences.ts';

const factors: Readonly<Record<LineHeight, number>> = { tight: 1.35, regular: 1.54, loose: 1.85 };

/** CSS custom properties for the editor's font settings. Defaults are left out. */
export function getCodeStyle(preferences: Preferences): CSSProperties {
  const { font, fontSize, lineHeight, ligatures } = preferences;
  const isSized = fontSize !== defaultPreferences.fontSize;
  const isSpaced = isSized || lineHeight !== defaultPreferences.lineHeight;
  const style: Record<string, string> = {};
  if (font !== '') style['--editor-font'] = `'${font}', var(--font-code)`;
  if (isSized) style['--editor-font-size'] = `max(${fontSize}px, var(--least-code-size))`;
  if (isSpaced)
    style['--editor-line-height'] =
      `round(calc(var(--editor-font-size) * ${factors[lineHeight]}), 1px)`;
  if (ligatures) style['--editor-ligatures'] = 'normal';
  return style;
}
