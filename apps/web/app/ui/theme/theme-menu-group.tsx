import { useState } from 'react';
import { useRootData } from '../../session/root-data.ts';
import { MenuRadioGroup } from '../menu.tsx';
import { changeTheme, getChosenTheme, themes, type Theme } from './theme.ts';

/** Theme setting for a `Menu`. */
export function ThemeMenuGroup() {
  const root = useRootData();
  const [theme, setTheme] = useState<Theme>(() =>
    typeof document === 'undefined' ? (root?.theme ?? 'system') : getChosenTheme(),
  );
  return (
    <MenuRadioGroup
      label="Theme"
      value={theme}
      options={themes}
      onChange={(next) => {
        setTheme(next);
        changeTheme(next);
      }}
    />
  );
}
