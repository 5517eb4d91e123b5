import type { SupabaseClient } from '@supabase/supabase-js';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect } from 'react';
import { useClient } from './use-client.ts';
import { useViewer } from './viewer.ts';

/** Delay after the page has loaded: most pages don't need the code that sends. */
const delayMs = 2_000;

/** Sends pending updates of closed tabs after sign-in and when the connection returns. */
export function SendPendingUpdates() {
  const owner = useViewer()?.id;
  const getClient = useClient();
  useEffect(() => {
    if (owner === undefined) return;
    const send = () => void sendAll(owner, getClient);
    const timer = setTimeout(send, delayMs);
    addEventListener('online', send);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', send);
    };
  }, [owner, getClient]);
  return null;
}

async function sendAll(owner: string, getClient: () => Promise<SupabaseClient>): Promise<void> {
  try {
    const [{ sendPendingUpdates }, { createProjectApi }] = await loadWithRetries(() =>
      Promise.all([import('@vitrine/collaboration'), import('../workspace/saving/project-api.ts')]),
    );
    const { sendUpdates, loadDocument } = createProjectApi(getClient);
    await sendPendingUpdates({ owner, send: sendUpdates, load: loadDocument });
  } catch {
    // No storage in this browser, or no connection. The next visit tries again.
  }
}
