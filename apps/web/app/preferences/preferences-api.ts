import { isRecord } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { omitDefaultPreferences, parsePreferences, type Preferences } from './preferences.ts';

/** Loads and saves the preferences of an account. Never rejects: the device works without. */
export interface PreferencesApi {
  /** Undefined if the account has none yet or the request fails. */
  load(): Promise<Preferences | undefined>;
  /** Resolves to whether it succeeded. */
  save(preferences: Preferences): Promise<boolean>;
}

export function createPreferencesApi(
  getClient: () => Promise<SupabaseClient>,
  userId: string,
): PreferencesApi {
  return {
    async load() {
      const supabase = await getClient();
      const { data, error } = await supabase
        .from('preferences')
        .select('settings')
        .eq('user_id', userId)
        .maybeSingle();
      const row: unknown = data;
      return !error && isRecord(row) ? parsePreferences(row.settings) : undefined;
    },
    async save(preferences) {
      const supabase = await getClient();
      const settings = omitDefaultPreferences(preferences);
      const { error } = await supabase.from('preferences').upsert({ user_id: userId, settings });
      return error === null;
    },
  };
}
