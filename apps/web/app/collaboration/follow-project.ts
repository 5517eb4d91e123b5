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
  /** Brings in what others saved, where it is not here up to that number. */
  readonly refresh: (upTo?: number) => Promise<void>;
  /** The right to work on the project is gone. */
  readonly onRefused: () => void;
}

/**
 * Takes part in a project until the function that it returns is called: what others save is brought
 * in, and who is there is shown. What was missed while there was no connection is asked for when it
 * is back.
 */
export function followProject(
  { state, people }: Collaboration,
  { client, project, person, refresh, onRefused }: FollowOptions,
): () => void {
  const saves = new SaveFollower(refresh);
  const names = new PeopleNames(client);
  /** A slow answer about who was here is not shown over a later one. */
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
