import type { SupabaseClient } from '@supabase/supabase-js';
import type { PageSettings } from '../request-context.ts';

/** Loads the code of the browser's Supabase client on demand, so that no page waits for it. */
export async function loadClient(page: PageSettings): Promise<SupabaseClient> {
  const { getBrowserClient } = await import('./browser-client.ts');
  return getBrowserClient(page);
}
