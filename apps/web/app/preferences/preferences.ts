import type { EditorSettings } from '@vitrine/editor';
import type { RunMode } from '@vitrine/sandbox/host';

/** How a person likes to work, on every device where they are signed in. */
export interface Preferences extends EditorSettings {
  /** A font of this device, in front of ours; empty for ours alone. */
  readonly font: string;
  /** In pixels. On a screen that is touched it is never less than 16, so that no page zooms in. */
  readonly fontSize: number;
  readonly lineHeight: LineHeight;
  /** `=>` as one sign, where the font has it. */
  readonly ligatures: boolean;
  readonly codeTheme: CodeTheme;
  /** The file that is seen is formatted when the project is saved. */
  readonly formatsOnSave: boolean;
  /** Packages that are imported and missing are added without asking. */
  readonly addsPackages: boolean;
  readonly runMode: RunMode;
}

export const runModes = ['typing', 'pause', 'hand'] as const satisfies readonly RunMode[];
export const lineHeights = ['tight', 'regular', 'loose'] as const;
export type LineHeight = (typeof lineHeights)[number];
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
export const fontSizes = { least: 10, most: 32 };
export const tabSizes = [2, 3, 4, 8] as const;

export const initialPreferences: Preferences = {
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

/** As many as a person could press, and no more than the database keeps. */
const keysAtMost = 200;

/** Whatever does not read as a preference is as it was in the beginning. */
export function parsePreferences(value: unknown): Preferences {
  const at = (name: keyof Preferences): unknown => (isRecord(value) ? value[name] : undefined);
  const start = initialPreferences;
  return {
    keymap: keymaps.find((each) => each === at('keymap')) ?? start.keymap,
    keys: parseKeys(at('keys')),
    tabSize: tabSizes.find((each) => each === at('tabSize')) ?? start.tabSize,
    wraps: at('wraps') === true,
    showsGuides: at('showsGuides') === true,
    showsWhitespace: at('showsWhitespace') === true,
    showsScopes: at('showsScopes') === true,
    font: parseFont(at('font')) ?? start.font,
    fontSize: parseFontSize(at('fontSize')) ?? start.fontSize,
    lineHeight: lineHeights.find((each) => each === at('lineHeight')) ?? start.lineHeight,
    ligatures: at('ligatures') === true,
    codeTheme: codeThemes.find((each) => each === at('codeTheme')) ?? start.codeTheme,
    formatsOnSave: at('formatsOnSave') === true,
    addsPackages: at('addsPackages') === true,
    runMode: runModes.find((each) => each === at('runMode')) ?? start.runMode,
  };
}

/** The name of a font as it may stand in a style, or undefined: letters, digits, spaces and dashes. */
export function parseFont(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\p{L}\p{N} _-]{0,60}$/u.test(value) ? value : undefined;
}

export function parseFontSize(value: unknown): number | undefined {
  const { least, most } = fontSizes;
  const isSize = typeof value === 'number' && Number.isInteger(value);
  return isSize && value >= least && value <= most ? value : undefined;
}

function parseKeys(value: unknown): Preferences['keys'] {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).slice(0, keysAtMost);
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

/** What differs from the beginning: that alone is kept. */
export function changedPreferences(preferences: Preferences): Partial<Preferences> {
  const beginning: Readonly<Record<string, unknown>> = { ...initialPreferences };
  return Object.fromEntries(
    Object.entries(preferences).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(beginning[name]),
    ),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
