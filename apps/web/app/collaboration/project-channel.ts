import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { limits } from '@vitrine/project';

/**
 * What the channel of a project tells. It is `project:ID`, private: the policies on
 * `realtime.messages` let in who works on the project, and those of `document_updates` decide which
 * saves are told. A person is there by their id, once for each place they have the project open in.
 */
export interface ChannelListeners {
  /** In the channel, and again after each time the connection was lost: what was missed is to be asked for. */
  joined(): void;
  /** Not in the channel; it is tried again. */
  lost(): void;
  /** This person may not be in the channel any more, and it is not tried again. */
  refused(): void;
  /** Somebody saved what has this number in the project's log. */
  saved(seq: number): void;
  /** Who is there, each with the number of places they are in. */
  people(places: ReadonlyMap<string, number>): void;
}

export interface ProjectChannelOptions {
  readonly client: SupabaseClient;
  readonly project: string;
  readonly person: string;
  /** Whether the right to the project is gone: a join is refused to a token that ran out, too. */
  readonly isRefused: () => Promise<boolean>;
}

/**
 * Joins the channel of a project and stays until the function that it returns is called, or until
 * the session ends in any tab. The client itself finds out that a server is silent, connects and
 * joins again; a channel that the server ended is joined anew here, with the same pauses.
 */
export function joinProject(options: ProjectChannelOptions, on: ChannelListeners): () => void {
  const { client } = options;
  let channel: RealtimeChannel | undefined;
  let hasLeft = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function join(): Promise<void> {
    // A join must carry the person's token: the first one before there was any, later ones the new one.
    await client.realtime.setAuth();
    if (hasLeft) return;
    const joining = createChannel(options, on);
    channel = joining;
    joining.subscribe((status: string, error) => {
      // What an earlier one still says is over.
      if (channel !== joining) return;
      if (status === 'SUBSCRIBED') {
        failures = 0;
        void joining.track({});
        return on.joined();
      }
      on.lost();
      const isRefused = error?.message.startsWith('Unauthorized') === true;
      if (!isRefused && status !== 'CLOSED') return;
      drop();
      void (isRefused ? leaveOrStay() : joinLater());
    });
  }

  async function leaveOrStay(): Promise<void> {
    const isRefused = await options.isRefused();
    if (hasLeft) return;
    if (!isRefused) return joinLater();
    leave();
    on.refused();
  }

  function joinLater(): void {
    const seconds = limits.retrySeconds[failures] ?? limits.retrySeconds.at(-1) ?? 10;
    failures++;
    timer = setTimeout(() => void join(), seconds * 1_000);
  }

  function drop(): void {
    const dropped = channel;
    channel = undefined;
    if (dropped) void client.removeChannel(dropped);
  }

  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    clearTimeout(timer);
    session.unsubscribe();
    drop();
  }

  const session = client.auth.onAuthStateChange((event) => {
    // The page follows in its own time; what is told until then is for nobody.
    if (event === 'SIGNED_OUT') leave();
  }).data.subscription;
  void join();
  return leave;
}

function createChannel(
  { client, project, person }: ProjectChannelOptions,
  on: ChannelListeners,
): RealtimeChannel {
  const channel = client.channel(`project:${project}`, {
    config: { private: true, presence: { key: person } },
  });
  return channel
    .on(
      'postgres_changes',
      {
        event: 'INSERT',
        schema: 'public',
        table: 'document_updates',
        filter: `project_id=eq.${project}`,
        select: ['project_id', 'seq'],
      },
      ({ new: row }) => {
        if ('seq' in row && typeof row['seq'] === 'number') on.saved(row['seq']);
      },
    )
    .on('presence', { event: 'sync' }, () => {
      const here = Object.entries(channel.presenceState());
      on.people(new Map(here.map(([id, places]) => [id, places.length])));
    });
}
