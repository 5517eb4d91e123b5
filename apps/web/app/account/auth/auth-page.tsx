import type { ReactNode } from 'react';
import styles from './auth-page.module.css';

interface AuthPageProps {
  title: string;
  intro?: ReactNode;
  children?: ReactNode;
  /** Links below the form. */
  footer?: ReactNode;
}

/** A narrow column with one form, for the screens under `/auth`. */
export function AuthPage({ title, intro, children, footer }: AuthPageProps) {
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>{title}</h1>
      {intro && <div className={styles.intro}>{intro}</div>}
      {children}
      {footer && <p className={styles.footer}>{footer}</p>}
    </div>
  );
}
