import { createBrowserClient } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { PageSettings } from '../request-context.ts';
import { findCallbackError } from './callback-errors.ts';
import { callbackPath } from './next-path.ts';

let client: SupabaseClient | undefined;

/**
 * The browser's Supabase client, a singleton. It keeps the session in cookies that the server
 * reads, refreshes it and notifies other tabs. Throws on the server, which has a client for each
 * request.
 */
export function getBrowserClient(page: PageSettings): SupabaseClient {
  if (typeof document === 'undefined')
    throw new Error('the browser’s Supabase client is not available on the server');
  client ??= createBrowserClient(page.backendUrl, page.publishableKey, {
    cookieOptions: {
      name: page.cookie.name,
      path: '/',
      sameSite: 'lax',
      secure: page.cookie.secure,
      // A preview runs on a subdomain and can evict cookies by setting hundreds, but not these.
      priority: 'high',
    },
    // Only the callback page accepts a session from its URL. A function would apply to fragments
    // only, so a code would be accepted on any page. The callback page itself shows an error in the
    // URL, for which the client would sign out.
    auth: { detectSessionInUrl: location.pathname === callbackPath && !hasCallbackError() },
  });
  return client;
}

function hasCallbackError(): boolean {
  return findCallbackError(new URL(location.href).searchParams) !== undefined;
}
