/** What a person chose; `system` is the absence of a choice. */
export type Theme = 'system' | 'light' | 'dark';

const cookieName = 'theme';
const maxAgeSeconds = 34_560_000;

/** The theme in a Cookie header, so that the server's first paint is the right one. */
export function readTheme(cookies: string | null): Theme {
  const value = /(?:^|;\s*)theme=(light|dark)(?=;|$)/.exec(cookies ?? '')?.[1];
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Keeps the choice in a cookie (nothing private in it) and shows it at once. */
export function chooseTheme(theme: Theme): void {
  const age = theme === 'system' ? 0 : maxAgeSeconds;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${cookieName}=${theme}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const systemDark = '(prefers-color-scheme: dark)';

/** What is on the screen: the choice, or what the system has. */
export function shownTheme(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia(systemDark).matches ? 'dark' : 'light';
}

/** Calls the listener when that may have changed; the function returned ends it. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia(systemDark);
  const choice = new MutationObserver(listener);
  system.addEventListener('change', listener);
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', listener);
    choice.disconnect();
  };
}
