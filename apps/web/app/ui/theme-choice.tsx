import { useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import type { loader } from '../root.tsx';
import { MenuChoice } from './menu.tsx';
import { chooseTheme, type Theme } from './theme.ts';

const options = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Light, dark or as the system has it; goes into any `Menu`. */
export function ThemeChoice() {
  const root = useRouteLoaderData<typeof loader>('root');
  const [theme, setTheme] = useState<Theme>(() => currentTheme(root?.theme ?? 'system'));
  return (
    <MenuChoice
      label="Theme"
      value={theme}
      options={options}
      onChange={(next) => {
        setTheme(next);
        chooseTheme(next);
      }}
    />
  );
}

/** The document knows of choices made since the page was served. */
function currentTheme(served: Theme): Theme {
  if (typeof document === 'undefined') return served;
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}
