import type { SupabaseClient } from '@supabase/supabase-js';
import { findErrorCode } from '@vitrine/project';
import type { Collaboration } from './collaboration.ts';
import { PeopleNames } from './people.ts';
import { joinProject } from './project-channel.ts';
import { SaveFollower } from './save-follower.ts';

export interface FollowOptions {
  readonly client: SupabaseClient;
  readonly projectId: string;
  readonly userId: string;
  /**
   * Loads updates that other members saved, up to the given log sequence number, or all of them
   * without one.
   */
  readonly refresh: (upTo?: number) => Promise<void>;
  /** Called when the user's access to the project has been revoked. */
  readonly onRefused: () => void;
}

/**
 * Connects to a project until the returned function is called: loads what other members save and
 * keeps the presence list up to date. Saves missed while disconnected are requested after the
 * reconnect.
 */
export function followProject(
  { state, people }: Collaboration,
  { client, projectId, userId, refresh, onRefused }: FollowOptions,
): () => void {
  const updates = new SaveFollower(refresh);
  const names = new PeopleNames(client);
  /** Number of the latest presence lookup. An older lookup that resolves later is dropped. */
  let lookups = 0;
  const onOnline = () => updates.followNow();

  async function showPresence(places: ReadonlyMap<string, number>): Promise<void> {
    const lookup = ++lookups;
    const users = await names.name(places);
    if (lookup === lookups) people.set(users);
  }

  async function isRefused(): Promise<boolean> {
    try {
      await refresh();
      return false;
    } catch (error) {
      return findErrorCode(error) === 'not_found_or_private';
    }
  }

  state.set('connecting');
  const leave = joinProject(
    { client, projectId, userId, isRefused },
    {
      joined() {
        state.set('live');
        updates.followNow();
      },
      lost() {
        state.set('reconnecting');
        void showPresence(new Map());
      },
      refused() {
        stop();
        onRefused();
      },
      saved: (seq) => updates.follow(seq),
      people: (places) => void showPresence(places),
    },
  );
  addEventListener('online', onOnline);

  function stop(): void {
    leave();
    updates.close();
    removeEventListener('online', onOnline);
    lookups++;
    people.set([]);
    state.set('alone');
  }
  return stop;
}
