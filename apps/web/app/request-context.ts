import type { SupabaseClient } from '@supabase/supabase-js';
import { createContext, RouterContextProvider } from 'react-router';

/** What the server provides to loaders and actions for one request. */
export interface RequestContext {
  /** CSP nonce for the scripts and styles of this response: 128 random bits, never cached. */
  readonly nonce: string;
  /** The origin in the browser's address bar, such as `http://vitrine.localhost:4000`. */
  readonly origin: string;
  /**
   * A Supabase client with the rights of the request's user or visitor (row-level security). Created
   * when it's first read, so pages that need none shouldn't: it costs a sixth of rendering them.
   */
  readonly supabase: SupabaseClient;
  /** Claims of the session's verified access token, or null for a visitor. */
  readonly claims: {
    readonly sub: string;
    readonly email: string;
    readonly sessionId: string;
  } | null;
  /** Claims of a session with pending MFA, which everywhere else counts as a visitor's. */
  readonly pendingMfaClaims: RequestContext['claims'];
  readonly page: PageSettings;
  /** Response headers of the session (`Set-Cookie`, `Cache-Control: no-store`). */
  readonly headers: Headers;
  /**
   * Creates the URL that opens a private project's preview, with a single-use preview access token
   * of the session. Null for a visitor.
   */
  createPreviewAccessUrl(previewOrigin: string, key: string): Promise<string | null>;
  /**
   * Registers the packages of a saved project's lockfile, so that their URLs can be served.
   * @param key changes with the lockfile
   */
  registerPackages(key: string, lockfile: string): Promise<unknown>;
  /** Loads the sign-in methods from the backend; null if it is unreachable. */
  fetchSignInOptions(): Promise<SignInOptions | null>;
  /** Emails that weren't sent because no mail server is configured; null without access to them. */
  readonly outbox: MailOutbox | null;
}

/** How users can sign in and up on this instance. */
export interface SignInOptions {
  /** Enabled OAuth providers, by the auth server's names, such as `github`. */
  readonly providers: readonly string[];
  /** Whether sign-ups are open. */
  readonly isOpen: boolean;
  /** Whether users must confirm their email before they can sign in. */
  readonly confirmsEmail: boolean;
}

/** Settings for the page. They are part of the HTML, so nothing here is secret. */
export interface PageSettings {
  readonly backendUrl: string;
  readonly publishableKey: string;
  readonly cookie: { readonly name: string; readonly secure: boolean };
  /** `vitrine-preview.localhost:4000`, or null without isolated-origin previews. */
  readonly previewHost: string | null;
  /** Whether a sign-up must be confirmed by an emailed link. */
  readonly confirmEmail: boolean;
  readonly mailDelivery: MailDelivery;
  /** Whether the link of an invitation by email proves it, without a verified address. */
  readonly invitationLinkVerifies: boolean;
}

/**
 * What happens to emails: `sent` by a mail server; kept in the `outbox`, which this browser may
 * read; or `kept` there without access for this browser.
 */
type MailDelivery = 'sent' | 'outbox' | 'kept';

interface MailOutboxEntry {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}

export interface MailOutbox {
  list(): Promise<MailOutboxEntry[]>;
}

/** Key for `context.get(requestContext)` in loaders and actions. */
export const requestContext = createContext<RequestContext>();

/** Wraps a request's context for React Router. */
export function provideContext(value: RequestContext): RouterContextProvider {
  const provider = new RouterContextProvider();
  provider.set(requestContext, value);
  return provider;
}
