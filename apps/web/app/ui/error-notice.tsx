import { describeError, type ErrorCode } from '@vitrine/project';
import CircleAlert from 'lucide-react/icons/circle-alert';
import type { ReactNode } from 'react';
import styles from './error-notice.module.css';

interface ErrorNoticeProps {
  code: ErrorCode;
  /** Technical; shown only when asked for. */
  details?: string | undefined;
  /** What the person can press to get on. */
  children?: ReactNode;
}

/** Something that went wrong, in the catalogue's words, read out when it comes. */
export function ErrorNotice({ code, details, children }: ErrorNoticeProps) {
  const { sentence, action } = describeError(code);
  return (
    <div role="alert" className={styles.notice} data-code={code}>
      <CircleAlert aria-hidden className={styles.icon} />
      <div className={styles.words}>
        <p className={styles.sentence}>{sentence}</p>
        <p className={styles.action}>{action}</p>
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
