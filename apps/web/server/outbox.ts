import { serializeCookieHeader } from '@supabase/ssr';
import { isSameText, listOutbox } from '@vitrine/backend';
import type { Outbox } from '../app/request-context.ts';
import { hostCookie, readCookieValues } from './session.ts';

export interface OutboxOptions {
  /** Secret of the link, the same in all processes of the instance and after a restart. */
  readonly token: string;
  /** Folder with the emails. */
  readonly folder: string;
  readonly publicOrigin: string;
}

/**
 * Access to the emails that weren't sent, for browsers that opened the link in the startup output.
 */
export interface OutboxAccess {
  /** The link with the secret. Anyone with it can read every email, and so sign in as any user. */
  readonly link: string;
  /**
   * Responds to a request for the link: sets a cookie and redirects to the URL without the secret.
   * Undefined for other requests.
   */
  answerLink(request: Request, origin: string): Response | undefined;
  /**
   * Returns the emails if the cookies contain the secret.
   * @param from.userAgent determines the cookie's name, as for sessions
   */
  find(from: { cookieHeader: string; origin: string; userAgent: string }): Outbox | null;
}

const path = '/outbox';
const cookieMaxAgeDays = 30;

/**
 * Grants browsers access to the outbox by a secret, because behind a proxy nothing else identifies
 * the administrator. The secret is moved from the URL to an HttpOnly cookie of the app's host only,
 * which previews on sibling hosts can neither read nor set.
 */
export function createOutboxAccess({ token, folder, publicOrigin }: OutboxOptions): OutboxAccess {
  const getCookie = (origin: string, userAgent: string) =>
    hostCookie('vitrine-outbox', origin, userAgent);
  const outbox: Outbox = { list: () => listOutbox(folder) };

  return {
    link: `${publicOrigin}${path}?token=${token}`,
    answerLink(request, origin) {
      const { pathname, searchParams } = new URL(request.url);
      const linkToken = searchParams.get('token');
      if (pathname !== path || linkToken === null || !isSameText(linkToken, token))
        return undefined;
      const { name, secure } = getCookie(origin, request.headers.get('user-agent') ?? '');
      const cookie = serializeCookieHeader(name, token, {
        path: '/',
        httpOnly: true,
        // Not strict, because the link may be opened from another site, such as a web-based editor.
        sameSite: 'lax',
        priority: 'high',
        maxAge: cookieMaxAgeDays * 24 * 3_600,
        secure,
      });
      return new Response(null, {
        status: 303,
        headers: {
          Location: path,
          'Set-Cookie': cookie,
          'Cache-Control': 'no-store',
          'Referrer-Policy': 'no-referrer',
        },
      });
    },
    find({ cookieHeader, origin, userAgent }) {
      // A page on a sibling host may have planted cookies of this name, but without the secret.
      const values = readCookieValues(cookieHeader, getCookie(origin, userAgent).name);
      return values.some((value) => isSameText(value, token)) ? outbox : null;
    },
  };
}
