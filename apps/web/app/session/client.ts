import { createBrowserClient } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { PageSettings } from '../request-context.ts';
import { findRefusal } from './refusals.ts';
import { callbackPath } from './next-path.ts';

let client: SupabaseClient | undefined;

/**
 * The browser's one client. It keeps the session in cookies that the server reads, refreshes it by
 * itself and tells the other tabs. Throws on the server, which has a client for each request.
 */
export function getClient(page: PageSettings): SupabaseClient {
  if (typeof document === 'undefined')
    throw new Error('the browser’s client was asked for on the server');
  client ??= createBrowserClient(page.backendUrl, page.publishableKey, {
    cookieOptions: {
      name: page.cookie.name,
      path: '/',
      sameSite: 'lax',
      secure: page.cookie.secure,
      // A result runs on a subdomain and can push cookies out by the hundred, but not these.
      priority: 'high',
    },
    // Nowhere but there is a session taken from the address. As a function this option
    // would decide about fragments only, and a code would be taken on any page.
    // What came back with a refusal is the callback page's to tell: the client would sign out for it.
    auth: { detectSessionInUrl: location.pathname === callbackPath && !isRefusal() },
  });
  return client;
}

function isRefusal(): boolean {
  return findRefusal(new URL(location.href).searchParams) !== undefined;
}

export { usePageSettings } from './page-settings.ts';
