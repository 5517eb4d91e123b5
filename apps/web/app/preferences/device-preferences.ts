import {
  changedPreferences,
  initialPreferences,
  parsePreferences,
  type Preferences,
} from './preferences.ts';

/*
 * Preferences on the device. What decides about the first paint is in a cookie, which the server
 * reads. Keys are not: they may be many, and a page that was run could plant a cookie.
 */

const maxAgeSeconds = 31_536_000;

const nameFor = (person: string | null) => `preferences-${person?.slice(0, 8) ?? 'guest'}`;
const keysName = (person: string | null) => `keys-${person ?? 'guest'}`;
const unsentName = (person: string) => `preferences-unsent-${person}`;

/** The preferences in a Cookie header; a person’s first ones are those of the visitor they were. */
export function findPreferences(cookies: string, person: string | null): Preferences {
  const pairs = cookies.split(/;\s*/);
  const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`));
  const pair = find(nameFor(person)) ?? find(nameFor(null));
  if (pair === undefined) return initialPreferences;
  return { ...parsePreferences(decodeJson(pair.slice(pair.indexOf('=') + 1))), keys: {} };
}

/** The cookie for `document.cookie`; it lasts a year from the last change. */
export function preferencesToCookie(preferences: Preferences, person: string | null): string {
  const kept = { ...changedPreferences(preferences), keys: undefined };
  const value = encodeURIComponent(JSON.stringify(kept));
  return `${nameFor(person)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax`;
}

/** The keys that are chosen on this device; there is no storage where pages are rendered. */
export function readKeys(person: string | null): Preferences['keys'] {
  const text = readItem(keysName(person)) ?? readItem(keysName(null));
  return parsePreferences({ keys: decodeJson(encodeURIComponent(text ?? '')) }).keys;
}

/** Keeps what was chosen. A person’s is to be sent until `forgetUnsent`. */
export function keepOnDevice(preferences: Preferences, person: string | null): void {
  document.cookie = preferencesToCookie(preferences, person);
  writeItem(keysName(person), JSON.stringify(preferences.keys));
}

export function rememberUnsent(person: string): void {
  writeItem(unsentName(person), '1');
}

export function isUnsent(person: string): boolean {
  return readItem(unsentName(person)) !== null;
}

export function forgetUnsent(person: string): void {
  try {
    localStorage.removeItem(unsentName(person));
  } catch {
    // Refused by the browser: then nothing was kept there either.
  }
}

function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // Refused by the browser.
    return null;
  }
}

function writeItem(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // No storage, or no room in it: it holds until the page goes.
  }
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    // Cut short, or not written by us: then it means nothing.
    return undefined;
  }
}
