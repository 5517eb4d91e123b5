import { useRouteError } from 'react-router';
import { ErrorView } from './error-view.tsx';
import styles from './page.module.css';
import { findRouteErrorCode } from './route-error.ts';

/** The error boundary of screens inside the page layout: the bar stays, the screen says what happened. */
export function PageError() {
  return (
    <div className={styles.trouble}>
      <ErrorView code={findRouteErrorCode(useRouteError())} />
    </div>
  );
}
