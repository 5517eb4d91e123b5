import { RestError } from '../rest-error.ts';

/** The supported preferences of the `Prefer` header. */
export interface RequestPreferences {
  return?: 'minimal' | 'representation' | 'headers-only';
  count?: 'exact';
  resolution?: 'merge-duplicates' | 'ignore-duplicates';
  missing?: 'default' | 'null';
  tx?: 'commit' | 'rollback';
  handling?: 'strict' | 'lenient';
  maxAffected?: number;
  /** Time zone for formatting timestamps, and for parsing those without one. */
  timezone?: string;
}

type Choice = Exclude<keyof RequestPreferences, 'maxAffected' | 'timezone'>;

const choices: { [K in Choice]: readonly NonNullable<RequestPreferences[K]>[] } = {
  return: ['minimal', 'representation', 'headers-only'],
  count: ['exact'],
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  tx: ['commit', 'rollback'],
  handling: ['strict', 'lenient'],
};

/**
 * Parses `Prefer`. As in RFC 7240, unsupported preferences are ignored, unless `handling=strict` is
 * sent. Estimated counts are counted exactly: the planner's statistics include rows that row-level
 * security hides from the caller.
 */
export function parsePreferHeader(header: string | null): RequestPreferences {
  const preferences: RequestPreferences = {};
  const unknown: string[] = [];
  for (const given of (header ?? '').split(',')) {
    const text = given.trim();
    if (text !== '' && !parsePreference(preferences, text)) unknown.push(text);
  }
  if (preferences.handling === 'strict' && unknown.length > 0) {
    throw createInvalidPreferencesError(`Invalid preferences: ${unknown.join(', ').slice(0, 200)}`);
  }
  return preferences;
}

function createInvalidPreferencesError(details: string): RestError {
  return new RestError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
    details,
  });
}

function parsePreference(preferences: RequestPreferences, text: string): boolean {
  const [key = '', value = '', ...rest] = text.split('=').map((part) => part.trim());
  if (rest.length > 0) return false;
  if (key === 'count' && (value === 'planned' || value === 'estimated')) {
    return setPreference(preferences, 'count', key, 'exact');
  }
  if (key === 'max-affected' && /^\d{1,9}$/.test(value) && preferences.maxAffected === undefined) {
    preferences.maxAffected = Number(value);
    return true;
  }
  if (key === 'timezone' && preferences.timezone === undefined && isTimezone(value)) {
    preferences.timezone = value;
    return true;
  }
  return (
    setPreference(preferences, 'return', key, value) ||
    setPreference(preferences, 'count', key, value) ||
    setPreference(preferences, 'resolution', key, value) ||
    setPreference(preferences, 'missing', key, value) ||
    setPreference(preferences, 'tx', key, value) ||
    setPreference(preferences, 'handling', key, value)
  );
}

/** Node and PostgreSQL both use the IANA names; where they differ, PostgreSQL throws. */
function isTimezone(value: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Sets a preference. The first of two conflicting ones applies (RFC 7240, section 2). */
function setPreference(
  preferences: RequestPreferences,
  name: Choice,
  key: string,
  value: string,
): boolean {
  if (key !== name || preferences[name] !== undefined) return false;
  const chosen = choices[name].find((option) => option === value);
  if (chosen === undefined) return false;
  Object.assign(preferences, { [name]: chosen });
  return true;
}

/**
 * Formats the `Preference-Applied` header for the named preferences; undefined when none was sent.
 */
export function formatPreferenceApplied(
  preferences: RequestPreferences,
  names: readonly (keyof RequestPreferences)[],
): string | undefined {
  const applied = names
    .filter((name) => preferences[name] !== undefined)
    .map((name) => `${name === 'maxAffected' ? 'max-affected' : name}=${preferences[name]}`);
  return applied.length > 0 ? applied.join(', ') : undefined;
}
