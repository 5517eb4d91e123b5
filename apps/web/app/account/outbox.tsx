import { useEffect } from 'react';
import { useRevalidator } from 'react-router';
import { requestContext } from '../request-context.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { routeError } from '../ui/page/route-error.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import type { Route } from './+types/outbox';
import styles from './outbox.module.css';

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

/** Without access, the title is that of a 404 page. */
export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: loaderData ? 'Outbox — Vitrine' : 'Vitrine' },
];

export async function loader({ context }: Route.LoaderArgs) {
  const { outbox, headers } = context.get(requestContext);
  if (!outbox) throw routeError('not_found_or_private');
  // Links in the emails sign users in, so their tokens must not leak in a Referer header.
  headers.set('Referrer-Policy', 'no-referrer');
  return { mails: await outbox.list() };
}

/** Polling interval: an email is written after the response to the request that sends it. */
const pollMs = 2_000;

export default function Outbox({ loaderData: { mails } }: Route.ComponentProps) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const poll = () => document.visibilityState === 'visible' && void revalidate();
    const timer = setInterval(poll, pollMs);
    return () => clearInterval(timer);
  }, [revalidate]);
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>Outbox</h1>
      <p className={styles.intro}>
        This instance has no mail server, so emails are kept here instead of being sent. Only
        browsers that have opened the outbox link can see them.
      </p>
      {mails.length === 0 && (
        <EmptyState title="No emails yet. Emails that would have been sent show up here." />
      )}
      <ul className={styles.list}>
        {mails.map((mail) => (
          <li key={mail.id} className={styles.mail}>
            <h2 className={styles.subject}>{mail.subject}</h2>
            <p className={styles.meta}>
              To {mail.to} · <RelativeTime at={mail.createdAt} />
            </p>
            <p className={styles.text}>
              <Linkified text={mail.text} />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** "Open http://… now" → the URL as a link. Only http and https URLs match. */
function Linkified({ text }: { text: string }) {
  return text.split(/(https?:\/\/\S+)/u).map((part, index) =>
    index % 2 === 1 ? (
      <a key={index} href={part}>
        {part}
      </a>
    ) : (
      part
    ),
  );
}
