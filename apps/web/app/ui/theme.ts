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
