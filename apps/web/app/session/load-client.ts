import type { SupabaseClient } from '@supabase/supabase-js';
import type { PageSettings } from '../request-context.ts';

/** The browser's client, whose code no page waits for to be shown; see `getClient`. */
export async function loadClient(page: PageSettings): Promise<SupabaseClient> {
  const { getClient } = await import('./client.ts');
  return getClient(page);
}
