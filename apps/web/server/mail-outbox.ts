import { serializeCookieHeader } from '@supabase/ssr';
import { timingSafeEqualText, listOutboxMails } from '@vitrine/backend';
import type { MailOutbox } from '../app/request-context.ts';
import { getHostCookie, parseCookieValues } from './session.ts';

interface MailOutboxOptions {
  /** Secret of the link, the same in all processes of the instance and after a restart. */
  readonly token: string;
  /** Folder with the emails. */
  readonly folder: string;
  readonly publicOrigin: string;
}

/**
 * Access to the emails that weren't sent, for browsers that opened the link in the startup output.
 */
export interface MailOutboxAccess {
  /** The link with the secret. Anyone with it can read every email, and so sign in as any user. */
  readonly link: string;
  /**
   * Responds to a request for the link: sets a cookie and redirects to the URL without the secret.
   * Undefined for other requests.
   */
  handleLink(request: Request, origin: string): Response | undefined;
  /**
   * Returns the emails if the cookies contain the secret.
   * @param from.userAgent determines the cookie's name, as for sessions
   */
  findOutbox(from: { cookieHeader: string; origin: string; userAgent: string }): MailOutbox | null;
}

const path = '/outbox';
const cookieMaxAgeDays = 30;

/**
 * Grants browsers access to the outbox by a secret, because behind a proxy nothing else identifies
 * the administrator. The secret is moved from the URL to an HttpOnly cookie of the app's host only,
 * which previews on sibling hosts can neither read nor set.
 */
export function createMailOutboxAccess({
  token,
  folder,
  publicOrigin,
}: MailOutboxOptions): MailOutboxAccess {
  const getCookie = (origin: string, userAgent: string) =>
    getHostCookie('vitrine-outbox', origin, userAgent);
  const outbox: MailOutbox = { list: () => listOutboxMails(folder) };

  return {
    link: `${publicOrigin}${path}?token=${token}`,
    handleLink(request, origin) {
      const { pathname, searchParams } = new URL(request.url);
      const linkToken = searchParams.get('token');
      if (pathname !== path || linkToken === null || !timingSafeEqualText(linkToken, token))
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
    findOutbox({ cookieHeader, origin, userAgent }) {
      // A page on a sibling host may have planted cookies of this name, but without the secret.
      const values = parseCookieValues(cookieHeader, getCookie(origin, userAgent).name);
      return values.some((value) => timingSafeEqualText(value, token)) ? outbox : null;
    },
  };
}
