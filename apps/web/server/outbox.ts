import { serializeCookieHeader } from '@supabase/ssr';
import { isSameText, listOutbox } from '@vitrine/backend';
import type { Outbox } from '../app/request-context.ts';
import { hostCookie, readCookieValues } from './session.ts';

export interface OutboxOptions {
  /** The secret, from those of the instance: the same in all its processes and after a restart. */
  readonly token: string;
  /** The folder with the mails. */
  readonly folder: string;
  readonly publicOrigin: string;
}

/** The mails that could not be sent, for browsers that opened the link in the startup output. */
export interface OutboxAccess {
  /** The link, with the secret. Whoever has it reads every mail, and so signs in as anybody. */
  readonly link: string;
  /** Answers a request for the link: a cookie, and on to the address without the secret. Undefined for all others. */
  answerLink(request: Request, origin: string): Response | undefined;
  /** The mails, where the cookies have the secret. `userAgent` decides the cookie's name, as for sessions. */
  find(from: { cookieHeader: string; origin: string; userAgent: string }): Outbox | null;
}

const path = '/outbox';
const keptDays = 30;

/**
 * Lets a browser read the outbox by a secret: the only proof of who runs this instance that a proxy
 * cannot blur. The secret leaves the address at once and becomes a cookie no script can read, of the
 * app's host alone: previews, on hosts beside it, neither get nor set it.
 */
export function createOutboxAccess({ token, folder, publicOrigin }: OutboxOptions): OutboxAccess {
  const cookieOf = (origin: string, userAgent: string) =>
    hostCookie('vitrine-outbox', origin, userAgent);
  const outbox: Outbox = { list: () => listOutbox(folder) };

  return {
    link: `${publicOrigin}${path}?token=${token}`,
    answerLink(request, origin) {
      const { pathname, searchParams } = new URL(request.url);
      const given = searchParams.get('token');
      if (pathname !== path || given === null || !isSameText(given, token)) return undefined;
      const { name, secure } = cookieOf(origin, request.headers.get('user-agent') ?? '');
      const cookie = serializeCookieHeader(name, token, {
        path: '/',
        httpOnly: true,
        // Not strict: the link may be opened from another site, such as an editor in the browser.
        sameSite: 'lax',
        priority: 'high',
        maxAge: keptDays * 24 * 3_600,
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
      // A page on a host beside this one may have planted others of the name; none has the secret.
      const values = readCookieValues(cookieHeader, cookieOf(origin, userAgent).name);
      return values.some((value) => isSameText(value, token)) ? outbox : null;
    },
  };
}
