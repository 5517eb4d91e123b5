import { useEffect } from 'react';
import { useRevalidator } from 'react-router';
import { requestContext } from '../request-context.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { routeError } from '../ui/route-error.ts';
import { Moment } from '../ui/moment.tsx';
import type { Route } from './+types/outbox';
import styles from './outbox.module.css';

export { PageError as ErrorBoundary } from '../ui/page-error.tsx';

/** Names the page to who may see it; to others it is one that does not exist. */
export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: loaderData ? 'Outbox — Vitrine' : 'Vitrine' },
];

export async function loader({ context }: Route.LoaderArgs) {
  const { outbox, headers } = context.get(requestContext);
  if (!outbox) throw routeError('not_found_or_private');
  // Links in the mails sign people in.
  headers.set('Referrer-Policy', 'no-referrer');
  return { mails: await outbox.list() };
}

/** Mail is written after the page that asked for it was answered. */
const lookAgainMs = 2_000;

export default function Outbox({ loaderData: { mails } }: Route.ComponentProps) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void revalidate();
    const timer = setInterval(look, lookAgainMs);
    return () => clearInterval(timer);
  }, [revalidate]);
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>Outbox</h1>
      <p className={styles.intro}>
        This instance has no mail server, so mail stays here. Only browsers that opened the outbox
        link can read it.
      </p>
      {mails.length === 0 && (
        <EmptyState title="No emails yet. Emails Vitrine would send appear here." />
      )}
      <ul className={styles.list}>
        {mails.map((mail) => (
          <li key={mail.id} className={styles.mail}>
            <h2 className={styles.subject}>{mail.subject}</h2>
            <p className={styles.about}>
              To {mail.to} · <Moment at={mail.createdAt} />
            </p>
            <p className={styles.text}>
              <Linked text={mail.text} />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** "Open http://… now" → the address as a link. Only http and https ever match. */
function Linked({ text }: { text: string }) {
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
