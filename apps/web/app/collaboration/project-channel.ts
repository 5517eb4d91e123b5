import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { limits } from '@vitrine/project';

/**
 * Events of a project's Realtime channel. The channel `project:ID` is private: policies on
 * `realtime.messages` admit members of the project, and policies on `document_updates` decide which
 * saves are reported. The presence key is the user id, with one entry per tab or device.
 */
interface ChannelListeners {
  /**
   * The channel is joined. Called again after each reconnect, when missed saves have to be
   * requested.
   */
  onJoined(): void;
  /** The channel is disconnected and will be retried. */
  onDisconnected(): void;
  /** The user may no longer join the channel. It isn't retried. */
  onAccessRevoked(): void;
  /** A save was stored under this sequence number of the project's log. */
  onSaved(seq: number): void;
  /** Somebody joined or left the project, or has another role. */
  onMembersChanged(): void;
  /** The presence list changed: user id → number of open tabs. */
  onPresence(tabCounts: ReadonlyMap<string, number>): void;
}

interface ProjectChannelOptions {
  readonly client: SupabaseClient;
  readonly projectId: string;
  readonly userId: string;
  /**
   * Resolves to true if the user has lost access. An expired token is rejected in the same way, so
   * the rejection alone isn't proof.
   */
  readonly hasLostAccess: () => Promise<boolean>;
}

/**
 * Joins a project's channel until the returned function is called or the session ends in any tab.
 * The Realtime client detects a silent server, reconnects and rejoins by itself; a channel closed
 * by the server is rejoined here, with the same delays.
 */
export function joinProjectChannel(
  options: ProjectChannelOptions,
  listeners: ChannelListeners,
): () => void {
  const { client } = options;
  let channel: RealtimeChannel | undefined;
  let hasLeft = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function join(): Promise<void> {
    // A join must carry the user's token: the first join runs before a token was set, later ones
    // need the refreshed token.
    await client.realtime.setAuth();
    if (hasLeft) return;
    const joining = createChannel(options, listeners);
    channel = joining;
    joining.subscribe((status: string, error) => {
      // Ignores events of a channel that has been replaced.
      if (channel !== joining) return;
      if (status === 'SUBSCRIBED') {
        failures = 0;
        void joining.track({});
        return listeners.onJoined();
      }
      listeners.onDisconnected();
      const isRejected = error?.message.startsWith('Unauthorized') === true;
      if (!isRejected && status !== 'CLOSED') return;
      removeChannel();
      void (isRejected ? handleRejection() : scheduleJoin());
    });
  }

  async function handleRejection(): Promise<void> {
    const hasLostAccess = await options.hasLostAccess();
    if (hasLeft) return;
    if (!hasLostAccess) return scheduleJoin();
    leave();
    listeners.onAccessRevoked();
  }

  function scheduleJoin(): void {
    const seconds = limits.retrySeconds[failures] ?? limits.retrySeconds.at(-1) ?? 10;
    failures++;
    timer = setTimeout(() => void join(), seconds * 1_000);
  }

  function removeChannel(): void {
    const removed = channel;
    channel = undefined;
    if (removed) void client.removeChannel(removed);
  }

  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    clearTimeout(timer);
    session.unsubscribe();
    removeChannel();
  }

  const session = client.auth.onAuthStateChange((event) => {
    // The page reloads its data on its own schedule. Events until then belong to no user.
    if (event === 'SIGNED_OUT') leave();
  }).data.subscription;
  void join();
  return leave;
}

function createChannel(
  { client, projectId, userId }: ProjectChannelOptions,
  listeners: ChannelListeners,
): RealtimeChannel {
  const channel = client.channel(`project:${projectId}`, {
    config: { private: true, presence: { key: userId } },
  });
  return (
    channel
      .on(
        'postgres_changes',
        {
          event: 'INSERT',
          schema: 'public',
          table: 'document_updates',
          filter: `project_id=eq.${projectId}`,
          select: ['project_id', 'seq'],
        },
        ({ new: row }) => {
          if ('seq' in row && typeof row['seq'] === 'number') listeners.onSaved(row['seq']);
        },
      )
      // Only the database sends in this channel.
      .on('broadcast', { event: 'members_changed' }, () => listeners.onMembersChanged())
      .on('presence', { event: 'sync' }, () => {
        const presence = Object.entries(channel.presenceState());
        listeners.onPresence(new Map(presence.map(([id, tabs]) => [id, tabs.length])));
      })
  );
}
