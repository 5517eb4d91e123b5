import type { SupabaseClient } from '@supabase/supabase-js';
import { changedPreferences, isRecord, parsePreferences, type Preferences } from './preferences.ts';

/** What is asked of the account. Both answer whether it could be done; a device goes on without. */
export interface PreferenceCalls {
  /** Undefined where nothing is kept yet, or where the account is out of reach. */
  load(): Promise<Preferences | undefined>;
  save(preferences: Preferences): Promise<boolean>;
}

/** The calls as the person of this client. */
export function createPreferenceCalls(
  client: () => Promise<SupabaseClient>,
  person: string,
): PreferenceCalls {
  return {
    async load() {
      const supabase = await client();
      const { data, error } = await supabase
        .from('preferences')
        .select('settings')
        .eq('user_id', person)
        .maybeSingle();
      const row: unknown = data;
      return !error && isRecord(row) ? parsePreferences(row.settings) : undefined;
    },
    async save(preferences) {
      const supabase = await client();
      const settings = changedPreferences(preferences);
      const { error } = await supabase.from('preferences').upsert({ user_id: person, settings });
      return error === null;
    },
  };
}
