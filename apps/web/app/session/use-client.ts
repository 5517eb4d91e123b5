import type { SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { loadClient } from './load-client.ts';
import { usePageSettings } from './page-settings.ts';

/**
 * Returns a stable function that loads the browser's Supabase client, for effects and event
 * handlers. The client is a quarter of a page's script, so it is loaded on first use.
 */
export function useClient(): () => Promise<SupabaseClient> {
  const page = usePageSettings();
  const [get] = useState(() => () => loadClient(page));
  return get;
}
