import type { SupabaseClient } from '@supabase/supabase-js';
import { useEffect } from 'react';
import { useClient } from './use-client.ts';
import { useViewer } from './viewer.ts';

/** Delay after the page has loaded: most pages don't need the code that sends. */
const delayMs = 2_000;

/** Sends pending updates of closed tabs after sign-in and when the connection returns. */
export function UnsentEdits() {
  const owner = useViewer()?.id;
  const client = useClient();
  useEffect(() => {
    if (owner === undefined) return;
    const send = () => void sendAll(owner, client);
    const timer = setTimeout(send, delayMs);
    addEventListener('online', send);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', send);
    };
  }, [owner, client]);
  return null;
}

async function sendAll(owner: string, client: () => Promise<SupabaseClient>): Promise<void> {
  try {
    const { sendUnsent } = await import('@vitrine/collaboration');
    const { createCalls } = await import('../workspace/calls.ts');
    const { send, load } = createCalls(client);
    await sendUnsent({ owner, send, load });
  } catch {
    // No storage in this browser, or the code failed to load. The next visit tries again.
  }
}
