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

/** True while this tab itself asked to sign out, so that nobody is told what they just did. */
let asked = false;

export function wasAsked(): boolean {
  return asked;
}

/**
 * Signs out here (`local`), everywhere else (`others`) or everywhere (`global`). Returns what went
 * wrong, or undefined.
 */
export async function signOut(
  client: SupabaseClient,
  scope: 'local' | 'others' | 'global',
): Promise<AuthProblem | undefined> {
  asked = scope !== 'others';
  try {
    if (asked) await Promise.allSettled([...keepers].map((keep) => keep()));
    const { error } = await client.auth.signOut({ scope });
    return error ? findAuthProblem(error) : undefined;
  } finally {
    asked = false;
  }
}
