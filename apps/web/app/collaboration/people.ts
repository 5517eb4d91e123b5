import type { SupabaseClient } from '@supabase/supabase-js';

/** Somebody who has the project open. */
export interface PersonHere {
  readonly id: string;
  readonly name: string;
  /** In the bucket of pictures: "ID/NAME.webp"; null for initials. */
  readonly avatarPath: string | null;
  /** In how many tabs and devices. */
  readonly places: number;
}

type Profile = Omit<PersonHere, 'places'>;

/**
 * The names and pictures of who is in a channel, which are those of their profiles: what somebody
 * says of themself there is not shown. Profiles that were found are kept while the project is open,
 * of as many people as a channel holds.
 */
export class PeopleNames {
  readonly #client: SupabaseClient;
  readonly #known = new Map<string, Profile>();

  constructor(client: SupabaseClient) {
    this.#client = client;
  }

  /** By name. Whoever has no profile, and whoever cannot be asked for now, is left out. */
  async name(places: ReadonlyMap<string, number>): Promise<PersonHere[]> {
    const unknown = [...places.keys()].filter((id) => isUuid(id) && !this.#known.has(id));
    if (unknown.length > 0) await this.#find(unknown);
    return [...places]
      .flatMap(([id, count]) => {
        const profile = this.#known.get(id);
        return profile ? [{ ...profile, places: count }] : [];
      })
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async #find(ids: readonly string[]): Promise<void> {
    const { data } = await this.#client
      .from('profiles')
      .select('id, username, display_name, avatar_path')
      .in('id', ids);
    for (const row of (data ?? []) as unknown[]) {
      const profile = parseProfile(row);
      if (profile) this.#known.set(profile.id, profile);
    }
  }
}

function parseProfile(row: unknown): Profile | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const {
    id,
    username,
    display_name: name,
    avatar_path: path,
  }: Record<string, unknown> = {
    ...row,
  };
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return {
    id,
    // Who has not chosen a username yet has worked on nothing.
    name: name || String(username),
    avatarPath: typeof path === 'string' ? path : null,
  };
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
