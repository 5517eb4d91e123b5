import { Link } from 'react-router';
import { ErrorView } from './error-view.tsx';
import styles from './error-page.module.css';
import { Logo } from './logo.tsx';
import { findRouteErrorCode } from './route-error.ts';

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
