import type { SupabaseClient } from '@supabase/supabase-js';
import { toAuthFailure, type AuthFailure } from './auth-failure.ts';

type Flush = () => Promise<void>;

/**
 * Callbacks that store unsaved edits before a sign-out. Removed with the screen that added them.
 */
const flushes = new Set<Flush>();

/**
 * Runs `flush` before this tab signs out, so that the latest edits are stored on the device.
 * Returns a function that removes it.
 */
export function onBeforeSignOut(flush: Flush): () => void {
  flushes.add(flush);
  return () => flushes.delete(flush);
}

/** Tells the other tabs that the user requested a sign-out: true, or false once it failed. */
const channelName = 'vitrine:sign-out';

/** True from the user's request to sign out, in any tab, until this tab handles the sign-out. */
let isRequested = false;

/**
 * Returns whether the user requested the sign-out that this tab is handling, and resets it. A
 * requested sign-out needs no message.
 */
export function consumeSignOutRequest(): boolean {
  const wasRequested = isRequested;
  isRequested = false;
  return wasRequested;
}

/** Watches for sign-out requests in other tabs. Returns a function that stops it. */
export function watchSignOutRequests(): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: { data: unknown }) => {
    isRequested = data === true;
  };
  return () => channel.close();
}

/**
 * Signs out this session (`local`), all other sessions (`others`) or all sessions (`global`).
 * Resolves to the error, or undefined.
 */
export async function signOut(
  client: SupabaseClient,
  scope: 'local' | 'others' | 'global',
): Promise<AuthFailure | undefined> {
  if (scope !== 'others') {
    setRequested(true);
    await Promise.allSettled([...flushes].map((flush) => flush()));
  }
  const { error } = await client.auth.signOut({ scope });
  if (error && isRequested) setRequested(false);
  return error ? toAuthFailure(error) : undefined;
}

function setRequested(value: boolean): void {
  isRequested = value;
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(value);
  channel.close();
}
