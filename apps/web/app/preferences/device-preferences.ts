import {
  omitDefaultPreferences,
  defaultPreferences,
  parsePreferences,
  type Preferences,
} from './preferences.ts';

/*
 * Preferences on the device. Those for the first paint are in a cookie, which the server reads.
 * Keybindings are in localStorage: they may be many, and a preview could plant a cookie.
 */

const maxAgeSeconds = 31_536_000;

const cookieName = (userId: string | null) => `preferences-${userId?.slice(0, 8) ?? 'guest'}`;
const keysName = (userId: string | null) => `keys-${userId ?? 'guest'}`;
const unsentName = (userId: string) => `preferences-unsent-${userId}`;

/** Parses the preferences in a Cookie header. A new user starts with the visitor's preferences. */
export function parsePreferencesCookie(cookies: string, userId: string | null): Preferences {
  const pairs = cookies.split(/;\s*/);
  const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`));
  const pair = find(cookieName(userId)) ?? find(cookieName(null));
  if (pair === undefined) return defaultPreferences;
  return { ...parsePreferences(decodeJson(pair.slice(pair.indexOf('=') + 1))), keys: {} };
}

/** Formats the preferences, without keybindings, for `document.cookie`. Expires after a year. */
export function formatPreferencesCookie(preferences: Preferences, userId: string | null): string {
  const stored = { ...omitDefaultPreferences(preferences), keys: undefined };
  const value = encodeURIComponent(JSON.stringify(stored));
  return `${cookieName(userId)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax`;
}

/** Loads the keybindings stored on this device. Only in a browser. */
export function loadKeybindings(userId: string | null): Preferences['keys'] {
  const text = readItem(keysName(userId)) ?? readItem(keysName(null));
  return parsePreferences({ keys: decodeJson(encodeURIComponent(text ?? '')) }).keys;
}

/** Stores preferences and keybindings on this device. */
export function storePreferences(preferences: Preferences, userId: string | null): void {
  document.cookie = formatPreferencesCookie(preferences, userId);
  writeItem(keysName(userId), JSON.stringify(preferences.keys));
}

/** Marks the preferences as not yet saved to the account. */
export function markUnsaved(userId: string): void {
  writeItem(unsentName(userId), '1');
}

export function isMarkedUnsaved(userId: string): boolean {
  return readItem(unsentName(userId)) !== null;
}

export function clearUnsavedMark(userId: string): void {
  try {
    localStorage.removeItem(unsentName(userId));
  } catch {
    // Storage is blocked, so the mark was never stored either.
  }
}

function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // Storage is blocked.
    return null;
  }
}

function writeItem(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is blocked or full. The change is lost with the page.
  }
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    // Truncated, or not written by us.
    return undefined;
  }
}
