import type { SupabaseClient } from '@supabase/supabase-js';
import { findErrorCode } from '@vitrine/project';
import type { Collaboration } from './collaboration.ts';
import { UserProfiles } from './user-profiles.ts';
import { joinProjectChannel } from './project-channel.ts';
import { RemoteSaves } from './remote-saves.ts';

interface ProjectConnectionOptions {
  readonly client: SupabaseClient;
  readonly projectId: string;
  readonly userId: string;
  /**
   * Loads updates that other members saved, up to a sequence number of the project's update log, or all of
   * them without one.
   */
  readonly loadUpdates: (upTo?: number) => Promise<void>;
  /** Called when the user's access to the project has been revoked. */
  readonly onAccessRevoked: () => void;
}

/**
 * Connects to a project until the returned function is called: loads what other members save and
 * keeps the presence list up to date. Saves missed while disconnected are requested after the
 * reconnect.
 */
export function connectToProject(
  { state, presentUsers }: Collaboration,
  { client, projectId, userId, loadUpdates, onAccessRevoked }: ProjectConnectionOptions,
): () => void {
  const remoteSaves = new RemoteSaves(loadUpdates);
  const profiles = new UserProfiles(client);
  /** Number of the latest presence lookup. An older lookup that resolves later is dropped. */
  let latestLookup = 0;
  const onOnline = () => remoteSaves.requestNow();

  async function updatePresence(tabCounts: ReadonlyMap<string, number>): Promise<void> {
    const lookup = ++latestLookup;
    const users = await profiles.resolve(tabCounts);
    if (lookup === latestLookup) presentUsers.set(users);
  }

  /** Loads all updates. Resolves to true if the server denies it, because the user has lost access. */
  async function refreshAndCheckAccess(): Promise<boolean> {
    try {
      await loadUpdates();
      return false;
    } catch (error) {
      return findErrorCode(error) === 'not_found_or_private';
    }
  }

  state.set('connecting');
  const leave = joinProjectChannel(
    { client, projectId, userId, hasLostAccess: refreshAndCheckAccess },
    {
      onJoined() {
        state.set('connected');
        remoteSaves.requestNow();
      },
      onDisconnected() {
        state.set('reconnecting');
        void updatePresence(new Map());
      },
      onAccessRevoked() {
        stop();
        onAccessRevoked();
      },
      onSaved: (seq) => remoteSaves.request(seq),
      onPresence: (tabCounts) => void updatePresence(tabCounts),
    },
  );
  addEventListener('online', onOnline);

  function stop(): void {
    leave();
    remoteSaves.close();
    removeEventListener('online', onOnline);
    latestLookup++;
    presentUsers.set([]);
    state.set('disconnected');
  }
  return stop;
}
