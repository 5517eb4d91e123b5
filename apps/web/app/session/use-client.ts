import type { SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { loadClient } from './load-client.ts';
import { usePageSettings } from './page-settings.ts';

/**
 * Gives the browser's client to effects and event handlers; the function is always the same one.
 * The client is a quarter of an ordinary page's script, and no page waits for it to be shown.
 */
export function useClient(): () => Promise<SupabaseClient> {
  const page = usePageSettings();
  const [get] = useState(() => () => loadClient(page));
  return get;
}
