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
  keepCookie(cookieName, theme === 'system' ? null : theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function keepCookie(name: string, value: string | null): void {
  const age = value === null ? 0 : maxAgeSeconds;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${name}=${value ?? ''}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}

export const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies readonly { value: Theme; label: string }[];

/** What was chosen, as the document has it; the document knows of choices made since it was served. */
export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** More contrast by choice, or where the system asks for it. */
export type Contrast = 'system' | 'more';

export const contrasts = [
  { value: 'system', label: 'System' },
  { value: 'more', label: 'High' },
] as const satisfies readonly { value: Contrast; label: string }[];

const contrastSheet = 'contrast';

/** The contrast in a Cookie header. */
export function readContrast(cookies: string | null): Contrast {
  return /(?:^|;\s*)contrast=more(?=;|$)/.test(cookies ?? '') ? 'more' : 'system';
}

/** Names the stylesheet, and says when it counts. */
export function contrastLink(contrast: Contrast) {
  return { id: contrastSheet, media: contrast === 'more' ? 'all' : '(prefers-contrast: more)' };
}

export function chosenContrast(): Contrast {
  return findContrastSheet()?.media === 'all' ? 'more' : 'system';
}

/** Keeps the choice in a cookie and shows it at once. */
export function chooseContrast(contrast: Contrast): void {
  keepCookie('contrast', contrast === 'system' ? null : contrast);
  const sheet = findContrastSheet();
  if (sheet) sheet.media = contrastLink(contrast).media;
}

function findContrastSheet(): HTMLLinkElement | null {
  return document.querySelector(`link#${contrastSheet}`);
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
