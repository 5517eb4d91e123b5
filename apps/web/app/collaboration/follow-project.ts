import type { SupabaseClient } from '@supabase/supabase-js';
import { findErrorCode } from '@vitrine/project';
import type { Collaboration } from './collaboration.ts';
import { UserProfiles } from './user-profiles.ts';
import { joinProjectChannel } from './project-channel.ts';
import { RemoteSaves } from './remote-saves.ts';

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
  readonly onAccessRevoked: () => void;
}

/**
 * Connects to a project until the returned function is called: loads what other members save and
 * keeps the presence list up to date. Saves missed while disconnected are requested after the
 * reconnect.
 */
export function followProject(
  { state, users: people }: Collaboration,
  { client, projectId, userId, refresh, onAccessRevoked }: FollowOptions,
): () => void {
  const updates = new RemoteSaves(refresh);
  const names = new UserProfiles(client);
  /** Number of the latest presence lookup. An older lookup that resolves later is dropped. */
  let lookups = 0;
  const onOnline = () => updates.requestNow();

  async function showPresence(places: ReadonlyMap<string, number>): Promise<void> {
    const lookup = ++lookups;
    const users = await names.resolve(places);
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
  const leave = joinProjectChannel(
    { client, projectId, userId, hasLostAccess: isRefused },
    {
      joined() {
        state.set('live');
        updates.requestNow();
      },
      disconnected() {
        state.set('reconnecting');
        void showPresence(new Map());
      },
      accessRevoked() {
        stop();
        onAccessRevoked();
      },
      saved: (seq) => updates.request(seq),
      presence: (places) => void showPresence(places),
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
