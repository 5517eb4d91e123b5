import { createBrowserClient } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import type { PageSettings } from '../request-context.ts';
import type { loader } from '../root.tsx';

let client: SupabaseClient | undefined;

/** Where mailed links come back to. Nowhere else is a session taken from the address. */
export const callbackPath = '/auth/callback';

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
    // As a function it would decide about fragments only, and a code would be taken on any page.
    auth: { detectSessionInUrl: location.pathname === callbackPath },
  });
  return client;
}

/** Gives the browser's client to effects and event handlers; the function is always the same one. */
export function useClient(): () => SupabaseClient {
  const page = usePageSettings();
  const [get] = useState(() => () => getClient(page));
  return get;
}

/** What the server told this page about itself. */
export function usePageSettings(): PageSettings {
  const root = useRouteLoaderData<typeof loader>('root');
  if (!root) throw new Error('the page was rendered without its settings');
  return root.page;
}
