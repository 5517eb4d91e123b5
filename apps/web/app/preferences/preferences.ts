import { isRecord } from '@vitrine/project';
import type { EditorSettings } from '@vitrine/editor';
import type { RunMode } from '@vitrine/sandbox/host';
import type { CSSProperties } from 'react';

/** A user's settings, synced to their account. The names are stored. */
export interface Preferences extends EditorSettings {
  /** Name of a font installed on the device; empty for the default font. */
  readonly font: string;
  /** In pixels. At least 16 px on touch screens, where browsers zoom in on smaller text fields. */
  readonly fontSize: number;
  readonly lineHeight: LineHeight;
  /** Whether `=>` is drawn as one glyph, if the font has it. */
  readonly ligatures: boolean;
  readonly codeTheme: CodeTheme;
  /** Whether saving the project formats the open file. */
  readonly formatsOnSave: boolean;
  /** Whether missing imported packages are installed automatically. */
  readonly addsPackages: boolean;
  readonly runMode: RunMode;
}

export const runModes = ['typing', 'pause', 'hand'] as const satisfies readonly RunMode[];
export const lineHeights = ['tight', 'regular', 'loose'] as const;
type LineHeight = (typeof lineHeights)[number];
export const codeThemes = [
  'vitrine',
  'github',
  'one-dark',
  'dracula',
  'nord',
  'monokai',
  'gruvbox',
  'solarized-light',
  'solarized-dark',
] as const;
export type CodeTheme = (typeof codeThemes)[number];
const keymaps = ['vscode', 'vim', 'emacs'] as const;
export const fontSizeRange = { least: 10, most: 32 };
export const tabSizes = [2, 3, 4, 8] as const;

export const defaultPreferences: Preferences = {
  keymap: 'vscode',
  keys: {},
  tabSize: 2,
  wraps: false,
  showsGuides: false,
  showsWhitespace: false,
  showsScopes: false,
  font: '',
  fontSize: 13,
  lineHeight: 'regular',
  ligatures: false,
  codeTheme: 'vitrine',
  formatsOnSave: false,
  addsPackages: false,
  runMode: 'typing',
};

/** Maximum number of keybindings, within the database's size limit. */
const maxKeys = 200;

/** Parses stored preferences. Invalid values fall back to the defaults. */
export function parsePreferences(value: unknown): Preferences {
  const get = (name: keyof Preferences): unknown => (isRecord(value) ? value[name] : undefined);
  const defaults = defaultPreferences;
  return {
    keymap: keymaps.find((each) => each === get('keymap')) ?? defaults.keymap,
    keys: parseKeys(get('keys')),
    tabSize: tabSizes.find((each) => each === get('tabSize')) ?? defaults.tabSize,
    wraps: get('wraps') === true,
    showsGuides: get('showsGuides') === true,
    showsWhitespace: get('showsWhitespace') === true,
    showsScopes: get('showsScopes') === true,
    font: parseFont(get('font')) ?? defaults.font,
    fontSize: parseFontSize(get('fontSize')) ?? defaults.fontSize,
    lineHeight: lineHeights.find((each) => each === get('lineHeight')) ?? defaults.lineHeight,
    ligatures: get('ligatures') === true,
    codeTheme: codeThemes.find((each) => each === get('codeTheme')) ?? defaults.codeTheme,
    formatsOnSave: get('formatsOnSave') === true,
    addsPackages: get('addsPackages') === true,
    runMode: runModes.find((each) => each === get('runMode')) ?? defaults.runMode,
  };
}

/**
 * A font name that is safe in CSS: letters, digits, spaces, `_` and `-`. Undefined for any other.
 */
export function parseFont(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\p{L}\p{N} _-]{0,60}$/u.test(value) ? value : undefined;
}

export function parseFontSize(value: unknown): number | undefined {
  const { least, most } = fontSizeRange;
  const isSize = typeof value === 'number' && Number.isInteger(value);
  return isSize && value >= least && value <= most ? value : undefined;
}

function parseKeys(value: unknown): Preferences['keys'] {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).slice(0, maxKeys);
  return Object.fromEntries(
    entries.flatMap(([id, keys]) =>
      /^[A-Za-z][\w-]{0,40}$/.test(id) && Array.isArray(keys) && keys.every(isKey)
        ? [[id, keys]]
        : [],
    ),
  );
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 40;
}

const lineHeightFactors: Readonly<Record<LineHeight, number>> = {
  tight: 1.35,
  regular: 1.54,
  loose: 1.85,
};

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
      `round(calc(var(--editor-font-size) * ${lineHeightFactors[lineHeight]}), 1px)`;
  if (ligatures) style['--editor-ligatures'] = 'normal';
  return style;
}

/** The preferences that differ from the defaults. Only these are stored. */
export function omitDefaultPreferences(preferences: Preferences): Partial<Preferences> {
  const defaults: Readonly<Record<string, unknown>> = { ...defaultPreferences };
  return Object.fromEntries(
    Object.entries(preferences).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
    ),
  );
}
