import { useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import type { loader } from '../root.tsx';
import { MenuChoice } from './menu.tsx';
import { chooseTheme, chosenTheme, themes, type Theme } from './theme.ts';

/** Theme setting for a `Menu`. */
export function ThemeChoice() {
  const root = useRouteLoaderData<typeof loader>('root');
  const [theme, setTheme] = useState<Theme>(() =>
    typeof document === 'undefined' ? (root?.theme ?? 'system') : chosenTheme(),
  );
  return (
    <MenuChoice
      label="Theme"
      value={theme}
      options={themes}
      onChange={(next) => {
        setTheme(next);
        chooseTheme(next);
      }}
    />
  );
}
