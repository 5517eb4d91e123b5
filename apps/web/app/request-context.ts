import type { SupabaseClient } from '@supabase/supabase-js';
import { createContext, RouterContextProvider } from 'react-router';

/** What the server knows about one request and hands to loaders and actions. */
export interface RequestContext {
  /** For every script and style of this response; 128 random bits, never cached. */
  readonly nonce: string;
  /** The origin in the person's address bar, e.g. `http://vitrine.localhost:4000`. */
  readonly origin: string;
  /** The official client, acting as this person (or as nobody) through row level security. */
  readonly supabase: SupabaseClient;
  /** Verified claims of the session, or null. Never taken from the cookie unverified. */
  readonly claims: {
    readonly sub: string;
    readonly email: string;
    readonly sessionId: string;
  } | null;
  /** Who has signed in and has yet to show their second factor: a visitor to all but that step. */
  readonly claimant: RequestContext['claims'];
  readonly page: PageSettings;
  /** Headers that the session wants on this response (Set-Cookie, no-store). */
  readonly headers: Headers;
  /**
   * The address that opens a private project's preview: it carries a single-use token made from
   * this person's session. Null when nobody is signed in.
   */
  mintEntry(previewOrigin: string, key: string): Promise<string | null>;
  /** Makes the addresses of a saved project's packages known; `key` changes with the lock's text. */
  registerPackages(key: string, lock: string): Promise<unknown>;
  /** Asked of the backend, which alone knows; null where it does not answer. */
  findSignInWays(): Promise<SignInWays | null>;
  /** Mails that were not sent because no mail server is set; null where this browser may not read them. */
  readonly outbox: Outbox | null;
}

/** How people may come in, beside e-mail. */
export interface SignInWays {
  /** By the names that the backend has for them: `github`. */
  readonly providers: readonly string[];
  /** Whether new accounts are made. */
  readonly isOpen: boolean;
  /** Whether an address is confirmed by a mail before it can sign in. */
  readonly confirmsEmail: boolean;
}

/** What the page itself needs to know; it is in the HTML, so nothing here is secret. */
export interface PageSettings {
  readonly backendUrl: string;
  readonly publishableKey: string;
  readonly cookie: { readonly name: string; readonly secure: boolean };
  /** `vitrine-preview.localhost:4000`, or null where there is no second host. */
  readonly previewHost: string | null;
  /** True where sign-up has to be confirmed by a mailed link. */
  readonly confirmEmail: boolean;
  readonly mailDelivery: MailDelivery;
}

/**
 * What becomes of mail: `sent` by a mail server; kept in the `outbox`, which this browser may read;
 * `kept` there, and this browser may not.
 */
export type MailDelivery = 'sent' | 'outbox' | 'kept';

export interface OutboxMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}

export interface Outbox {
  list(): Promise<OutboxMail[]>;
}

/** Loaders read it with `context.get(requestContext)`. */
export const requestContext = createContext<RequestContext>();

/** Wraps a request's context for the router. */
export function provideContext(value: RequestContext): RouterContextProvider {
  const provider = new RouterContextProvider();
  provider.set(requestContext, value);
  return provider;
}
