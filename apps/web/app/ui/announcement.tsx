import styles from './announcement.module.css';

/** A status for screen readers, announced when it changes. */
export function Announcement({ children }: { children: string }) {
  return <output className={styles.announcement}>{children}</output>;
}
