/** The chosen theme; `system` means none was chosen. */
export type Theme = 'system' | 'light' | 'dark';

const cookieName = 'theme';
const maxAgeSeconds = 34_560_000;

/** Parses the theme in a Cookie header, so that the server renders the first paint with it. */
export function parseThemeCookie(cookies: string | null): Theme {
  const value = /(?:^|;\s*)theme=(light|dark)(?=;|$)/.exec(cookies ?? '')?.[1];
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Stores the theme in a cookie and applies it immediately. */
export function changeTheme(theme: Theme): void {
  setCookie(cookieName, theme === 'system' ? null : theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Sets a cookie, or deletes it if the value is null. */
function setCookie(name: string, value: string | null): void {
  const age = value === null ? 0 : maxAgeSeconds;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${name}=${value ?? ''}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}

export const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies readonly { value: Theme; label: string }[];

/** The chosen theme as the document shows it, including changes since it was loaded. */
export function getChosenTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** `system` follows the system's contrast setting. */
export type Contrast = 'system' | 'more';

export const contrasts = [
  { value: 'system', label: 'System' },
  { value: 'more', label: 'High' },
] as const satisfies readonly { value: Contrast; label: string }[];

const contrastSheet = 'contrast';

/** Parses the contrast in a Cookie header. */
export function parseContrastCookie(cookies: string | null): Contrast {
  return /(?:^|;\s*)contrast=more(?=;|$)/.test(cookies ?? '') ? 'more' : 'system';
}

/** Attributes of the high-contrast stylesheet's link. */
export function getContrastLink(contrast: Contrast) {
  return { id: contrastSheet, media: contrast === 'more' ? 'all' : '(prefers-contrast: more)' };
}

export function getChosenContrast(): Contrast {
  return findContrastSheet()?.media === 'all' ? 'more' : 'system';
}

/** Stores the contrast in a cookie and applies it immediately. */
export function changeContrast(contrast: Contrast): void {
  setCookie('contrast', contrast === 'system' ? null : contrast);
  const sheet = findContrastSheet();
  if (sheet) sheet.media = getContrastLink(contrast).media;
}

function findContrastSheet(): HTMLLinkElement | null {
  return document.querySelector(`link#${contrastSheet}`);
}

const systemDark = '(prefers-color-scheme: dark)';

/** The theme on screen: the chosen one, or the system's. */
export function getActiveTheme(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia(systemDark).matches ? 'dark' : 'light';
}

/**
 * Calls the listener when the theme on screen may have changed. Returns a function that stops it.
 */
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
