import { describeError, type ErrorCode } from '@vitrine/project';
import CircleAlert from 'lucide-react/icons/circle-alert';
import type { ReactNode } from 'react';
import styles from './error-notice.module.css';

interface ErrorNoticeProps {
  code: ErrorCode;
  /** A sentence to add to the catalog's. */
  note?: string | undefined;
  /** Technical description, collapsed by default. */
  details?: string | undefined;
  /** Buttons for what to do next. */
  children?: ReactNode;
}

/** An error with the message from the catalog, announced when it appears. */
export function ErrorNotice({ code, note, details, children }: ErrorNoticeProps) {
  const { message, action } = describeError(code);
  return (
    <div role="alert" className={styles.notice} data-code={code}>
      <CircleAlert aria-hidden className={styles.icon} />
      <div className={styles.text}>
        <p className={styles.message}>{message}</p>
        <p className={styles.action}>{note === undefined ? action : `${note} ${action}`}</p>
        {details && (
          <details className={styles.details}>
            <summary>Details</summary>
            <pre>{details}</pre>
          </details>
        )}
        {children && <div className={styles.buttons}>{children}</div>}
      </div>
    </div>
  );
}
