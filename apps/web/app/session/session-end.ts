import type { SupabaseClient } from '@supabase/supabase-js';
import { findAuthProblem, type AuthProblem } from './auth-problem.ts';

type Keep = () => Promise<void>;

/** What must reach the device before a session ends; entries leave with the screen that made them. */
const keepers = new Set<Keep>();

/** Runs `keep` before this tab signs out, so that the last key presses are on the device. */
export function onSessionEnd(keep: Keep): () => void {
  keepers.add(keep);
  return () => keepers.delete(keep);
}

/** Carries to the other tabs whether a person has asked to sign out: true, and false when it failed. */
const channelName = 'vitrine:sign-out';

/** True from when a person asks to sign out, in any tab, until this tab has heard that it is done. */
let asked = false;

/** Whether a person asked for the end that this tab just heard of: nobody is told what they did. */
export function takeAsked(): boolean {
  const was = asked;
  asked = false;
  return was;
}

/** Hears what is asked for in other tabs, until stopped. */
export function followSignOut(): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: { data: unknown }) => {
    asked = data === true;
  };
  return () => channel.close();
}

/**
 * Signs out here (`local`), everywhere else (`others`) or everywhere (`global`). Returns what went
 * wrong, or undefined.
 */
export async function signOut(
  client: SupabaseClient,
  scope: 'local' | 'others' | 'global',
): Promise<AuthProblem | undefined> {
  if (scope !== 'others') {
    tellAsked(true);
    await Promise.allSettled([...keepers].map((keep) => keep()));
  }
  const { error } = await client.auth.signOut({ scope });
  if (error && asked) tellAsked(false);
  return error ? findAuthProblem(error) : undefined;
}

function tellAsked(isAsked: boolean): void {
  asked = isAsked;
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(isAsked);
  channel.close();
}
