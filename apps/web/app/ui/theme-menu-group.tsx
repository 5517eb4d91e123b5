import { useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import type { loader } from '../root.tsx';
import { MenuRadioGroup } from './menu.tsx';
import { changeTheme, getChosenTheme, themes, type Theme } from './theme.ts';

/** Theme setting for a `Menu`. */
export function ThemeMenuGroup() {
  const root = useRouteLoaderData<typeof loader>('root');
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
