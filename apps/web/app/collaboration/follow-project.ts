import type { SupabaseClient } from '@supabase/supabase-js';
import { findErrorCode } from '@vitrine/project';
import type { Collaboration } from './collaboration.ts';
import { PeopleNames } from './people.ts';
import { joinProject } from './project-channel.ts';
import { SaveFollower } from './save-follower.ts';

export interface FollowOptions {
  readonly client: SupabaseClient;
  readonly project: string;
  readonly person: string;
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
  { client, project, person, refresh, onRefused }: FollowOptions,
): () => void {
  const saves = new SaveFollower(refresh);
  const names = new PeopleNames(client);
  /** Number of the latest presence lookup. An older lookup that resolves later is dropped. */
  let asked = 0;
  const isBack = () => saves.followNow();

  async function show(places: ReadonlyMap<string, number>): Promise<void> {
    const turn = ++asked;
    const named = await names.name(places);
    if (turn === asked) people.set(named);
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
    { client, project, person, isRefused },
    {
      joined() {
        state.set('live');
        saves.followNow();
      },
      lost() {
        state.set('reconnecting');
        void show(new Map());
      },
      refused() {
        stop();
        onRefused();
      },
      saved: (seq) => saves.follow(seq),
      people: (places) => void show(places),
    },
  );
  addEventListener('online', isBack);

  function stop(): void {
    leave();
    saves.close();
    removeEventListener('online', isBack);
    asked++;
    people.set([]);
    state.set('alone');
  }
  return stop;
}
