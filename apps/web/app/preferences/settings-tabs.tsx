import { useState } from 'react';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import {
  changeContrast,
  changeTheme,
  getChosenContrast,
  getChosenTheme,
  contrasts,
  themes,
} from '../ui/theme/theme.ts';
import { useStore } from '../workspace/value-store.ts';
import type { PreferencesStore } from './preferences-store.ts';
import {
  fontSizeRange,
  parseFont,
  parseFontSize,
  tabSizes,
  type CodeTheme,
  type Preferences,
} from './preferences.ts';
import styles from './settings-dialog.module.css';

interface TabProps {
  preferences: PreferencesStore;
}

type Switch = {
  [Name in keyof Preferences]: Preferences[Name] extends boolean ? Name : never;
}[keyof Preferences];

const keymaps = [
  { value: 'vscode', label: 'VS Code' },
  { value: 'vim', label: 'Vim' },
  { value: 'emacs', label: 'Emacs' },
] as const;

/** Tab "Editor". */
export function EditorTab({ preferences }: TabProps) {
  const { keymap, tabSize } = useStore(preferences.current);
  return (
    <>
      <div className={styles.fields}>
        <Select
          label="Keymap"
          value={keymap}
          options={keymaps}
          onChange={(value) => preferences.change({ keymap: value })}
        />
        <Select
          label="Indentation"
          value={String(tabSize)}
          options={tabSizes.map((size) => ({ value: String(size), label: `${size} spaces` }))}
          onChange={(value) => preferences.change({ tabSize: Number(value) })}
        />
      </div>
      <Checkbox preferences={preferences} name="wraps" label="Word wrap" />
      <Checkbox preferences={preferences} name="showsGuides" label="Indent guides" />
      <Checkbox preferences={preferences} name="showsWhitespace" label="Show whitespace" />
      <Checkbox preferences={preferences} name="showsScopes" label="Sticky scroll" />
    </>
  );
}

const codeThemeLabels: Readonly<Record<CodeTheme, string>> = {
  vitrine: 'Vitrine (light or dark)',
  github: 'GitHub (light or dark)',
  'one-dark': 'One Dark',
  dracula: 'Dracula',
  nord: 'Nord',
  monokai: 'Monokai',
  gruvbox: 'Gruvbox (light or dark)',
  'solarized-light': 'Solarized Light',
  'solarized-dark': 'Solarized Dark',
};
const codeThemeOptions = Object.entries(codeThemeLabels).map(([value, label]) => ({
  // The record above has exactly the theme names as keys.
  value: value as CodeTheme,
  label,
}));

const lineHeightOptions = [
  { value: 'tight', label: 'Tight' },
  { value: 'regular', label: 'Regular' },
  { value: 'loose', label: 'Loose' },
] as const;

/** Tab "Appearance". */
export function AppearanceTab({ preferences }: TabProps) {
  const { codeTheme, lineHeight } = useStore(preferences.current);
  const [theme, setTheme] = useState(getChosenTheme);
  const [contrast, setContrast] = useState(getChosenContrast);
  return (
    <>
      <div className={styles.fields}>
        <Select
          label="Theme"
          value={theme}
          options={themes}
          onChange={(value) => {
            setTheme(value);
            changeTheme(value);
          }}
        />
        <Select
          label="Contrast"
          value={contrast}
          options={contrasts}
          onChange={(value) => {
            setContrast(value);
            changeContrast(value);
          }}
        />
        <Select
          label="Editor theme"
          value={codeTheme}
          options={codeThemeOptions}
          onChange={(value) => preferences.change({ codeTheme: value })}
        />
        <Select
          label="Line height"
          value={lineHeight}
          options={lineHeightOptions}
          onChange={(value) => preferences.change({ lineHeight: value })}
        />
        <FontField preferences={preferences} />
        <FontSizeField preferences={preferences} />
      </div>
      <Checkbox preferences={preferences} name="ligatures" label="Font ligatures" />
    </>
  );
}

function FontField({ preferences }: TabProps) {
  const [text, setText] = useState(preferences.current.get().font);
  const font = parseFont(text.trim());
  return (
    <TextField
      label="Font"
      value={text}
      placeholder="JetBrains Mono"
      autoComplete="off"
      spellCheck={false}
      error={font === undefined ? 'Use letters, numbers, and spaces.' : undefined}
      description="Enter the name of any font installed on this device."
      onChange={({ target }) => {
        setText(target.value);
        const chosen = parseFont(target.value.trim());
        if (chosen !== undefined) preferences.change({ font: chosen });
      }}
    />
  );
}

function FontSizeField({ preferences }: TabProps) {
  const [text, setText] = useState(String(preferences.current.get().fontSize));
  const { least, most } = fontSizeRange;
  const size = parseFontSize(Number(text));
  return (
    <TextField
      label="Font size"
      type="number"
      inputMode="numeric"
      min={least}
      max={most}
      value={text}
      error={size === undefined ? `Enter a size from ${least} to ${most}.` : undefined}
      onChange={({ target }) => {
        setText(target.value);
        const chosen = parseFontSize(Number(target.value));
        if (chosen !== undefined) preferences.change({ fontSize: chosen });
      }}
    />
  );
}

const runModes = [
  { value: 'typing', label: 'As you type' },
  { value: 'pause', label: 'After a pause' },
  { value: 'hand', label: 'Manually' },
] as const;

/** Tab "Projects". */
export function ProjectsTab({ preferences }: TabProps) {
  const { runMode } = useStore(preferences.current);
  return (
    <>
      <div className={styles.fields}>
        <Select
          label="Run mode"
          value={runMode}
          options={runModes}
          onChange={(value) => preferences.change({ runMode: value })}
        />
      </div>
      <Checkbox preferences={preferences} name="formatsOnSave" label="Format on save" />
      <Checkbox
        preferences={preferences}
        name="addsPackages"
        label="Install missing packages automatically"
      />
    </>
  );
}

function Checkbox({ preferences, name, label }: TabProps & { name: Switch; label: string }) {
  const now = useStore(preferences.current);
  return (
    <label className={styles.choice}>
      <input
        type="checkbox"
        checked={now[name]}
        onChange={({ target }) => preferences.change({ [name]: target.checked })}
      />
      {label}
    </label>
  );
}
