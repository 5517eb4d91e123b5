import type { SupabaseClient } from '@supabase/supabase-js';
import { getPersonName, parsePerson } from '../people/people.ts';

/** A user who has the project open. */
export interface PresentUser {
  readonly id: string;
  readonly name: string;
  /** Path in the avatars bucket, "ID/NAME.webp". Null for initials. */
  readonly avatarPath: string | null;
  /** Number of tabs and devices the project is open in. */
  readonly tabCount: number;
}

type Profile = Omit<PresentUser, 'tabCount'>;

/**
 * Resolves the user ids in a channel to names and avatars. These come from the `profiles` table and
 * never from presence payloads, which a client can forge. Profiles are cached while the project is
 * open; the channel's size limit bounds the cache.
 */
export class UserProfiles {
  readonly #client: SupabaseClient;
  readonly #profiles = new Map<string, Profile>();

  constructor(client: SupabaseClient) {
    this.#client = client;
  }

  /**
   * Users sorted by name. Users without a profile, or whose profile can't be loaded now, are left
   * out.
   */
  async resolve(tabCounts: ReadonlyMap<string, number>): Promise<PresentUser[]> {
    const missing = [...tabCounts.keys()].filter((id) => isUuid(id) && !this.#profiles.has(id));
    if (missing.length > 0) await this.#loadProfiles(missing);
    return [...tabCounts]
      .flatMap(([id, count]) => {
        const profile = this.#profiles.get(id);
        return profile ? [{ ...profile, tabCount: count }] : [];
      })
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async #loadProfiles(ids: readonly string[]): Promise<void> {
    const { data } = await this.#client
      .from('profiles')
      .select('id, username, display_name, avatar_path')
      .in('id', ids);
    for (const row of (data ?? []) as unknown[]) {
      const person = parsePerson(row);
      const { id, avatarPath } = person;
      this.#profiles.set(id, { id, name: getPersonName(person), avatarPath });
    }
  }
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
