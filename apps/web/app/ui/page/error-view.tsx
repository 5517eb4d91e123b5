import { describeError, type ErrorCode } from '@vitrine/project';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { useViewer } from '../../session/viewer.ts';
import { parseNextPath, withNextPath } from '../../session/next-path.ts';
import { ButtonLink } from '../button.tsx';
import styles from './error-view.module.css';
import { Logo } from './logo.tsx';
import { findRouteErrorCode } from './route-error.ts';

const titles: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found_or_private: 'Page not found',
  project_in_trash: 'Project in trash',
};

interface ErrorViewProps {
  code: ErrorCode;
  /** Button that resolves the error, in place of “Go home” as the main one. */
  action?: ReactNode;
}

/** Full-page error: the message from the catalog, and buttons for what to do next. */
export function ErrorView({ code, action: button }: ErrorViewProps) {
  const { message, action } = describeError(code);
  const { pathname, search } = useLocation();
  const viewer = useViewer();
  const canSignIn = !viewer && (code === 'not_found_or_private' || code === 'session_expired');
  const canRetry = !canSignIn && titles[code] === undefined;
  return (
    <div className={styles.view} role="alert" data-code={code}>
      <title>{`${titles[code] ?? 'Error'} — Vitrine`}</title>
      <h1 className={styles.message}>{message.replace(/\.$/, '')}</h1>
      <p className={styles.action}>
        {action}
        {canSignIn && code === 'not_found_or_private' && ' Sign in if you have access.'}
      </p>
      <div className={styles.buttons}>
        <ButtonLink to="/" reloadDocument variant={canSignIn || button ? 'secondary' : 'primary'}>
          Go home
        </ButtonLink>
        {canSignIn && (
          <ButtonLink to={withNextPath('/auth/sign-in', pathname + search)} variant="primary">
            Sign in
          </ButtonLink>
        )}
        {button}
        {canRetry && (
          <ButtonLink to={parseNextPath(pathname + search)} reloadDocument>
            Try again
          </ButtonLink>
        )}
      </div>
    </div>
  );
}

/**
 * Error page without a layout. Works without the session and page settings, which may have failed.
 */
export function ErrorPage({ error }: { error: unknown }) {
  return (
    <>
      <header className={styles.bar}>
        <Link to="/" reloadDocument className={styles.home} aria-label="Vitrine, home">
          <Logo />
          Vitrine
        </Link>
      </header>
      <main className={styles.main}>
        <ErrorView code={findRouteErrorCode(error)} />
      </main>
    </>
  );
}
