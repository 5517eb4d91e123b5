import type { ReactNode } from 'react';
import { useRouteError } from 'react-router';
import { ErrorView } from './error-view.tsx';
import styles from './page.module.css';
import { findRouteErrorCode } from './route-error.ts';

/** Error boundary for pages inside the page layout, whose header stays. */
export function PageError({ action, children }: { action?: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.error}>
      <ErrorView code={findRouteErrorCode(useRouteError())} action={action} />
      {children}
    </div>
  );
}
