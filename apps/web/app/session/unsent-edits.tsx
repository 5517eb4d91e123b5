import type { SupabaseClient } from '@supabase/supabase-js';
import { useEffect } from 'react';
import { useClient } from './use-client.ts';
import { useViewer } from './viewer.ts';

/** After what the page itself has to do: the code that sends is no part of most pages. */
const afterMs = 2_000;

/** Sends what closed tabs left unsent: after someone signs in, and when the connection returns. */
export function UnsentEdits() {
  const owner = useViewer()?.id;
  const client = useClient();
  useEffect(() => {
    if (owner === undefined) return;
    const send = () => void sendAll(owner, client);
    const timer = setTimeout(send, afterMs);
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
    // The device keeps nothing, or our code cannot be had now; the next visit tries again.
  }
}
