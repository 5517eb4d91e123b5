import type { SupabaseClient } from '@supabase/supabase-js';
import { findErrorCode, isRecord } from '@vitrine/project';
import { callDatabase } from '../workspace/saving/project-api.ts';
import type { ProjectIdentity, ProjectRole } from '../workspace/sharing/identity.ts';
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
  /**
   * Called when somebody joined or left the project or has another role, and after a reconnect, when
   * that may have been missed.
   */
  readonly onMembersChanged: () => void;
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
  {
    client,
    projectId,
    userId,
    loadUpdates,
    onMembersChanged,
    onAccessRevoked,
  }: ProjectConnectionOptions,
): () => void {
  const remoteSaves = new RemoteSaves(loadUpdates);
  const profiles = new UserProfiles(client);
  /** Number of the latest presence lookup. An older lookup that resolves later is dropped. */
  let latestLookup = 0;
  let hasJoined = false;
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
        if (hasJoined) onMembersChanged();
        hasJoined = true;
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
      onMembersChanged,
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

/** A member's role in a project, and its owner's username. */
interface Access {
  readonly role: Exclude<ProjectRole, 'reader'>;
  readonly owner: string;
}

/** Finds what a user may do in a project. Undefined if they aren't a member of it. */
export async function findAccess(
  client: SupabaseClient,
  { slug }: ProjectIdentity,
  userId: string,
): Promise<Access | undefined> {
  const found = await callDatabase(client.rpc('find_project', { slug }));
  if (!isRecord(found) || !isRecord(found['owner']) || found['works_on'] !== true) return undefined;
  const { id, username } = found['owner'];
  if (typeof username !== 'string') return undefined;
  // A suspended owner may not edit, and counts as a viewer, as when the page is loaded.
  const canEdit = found['may_edit'] === true;
  return { role: !canEdit ? 'viewer' : id === userId ? 'owner' : 'editor', owner: username };
}
