import type { ReactNode } from 'react';
import styles from './scroll-list.module.css';

interface ScrollListProps {
  label: string;
  /** `<li>` elements. */
  children: ReactNode;
}

/** A list of limited height in a dialog. It scrolls, also by keyboard. */
export function ScrollList({ label, children }: ScrollListProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable, so the keyboard must reach it
    <section aria-label={label} tabIndex={0} className={styles.list}>
      <ul>{children}</ul>
    </section>
  );
}

/** A name, and a note about it at the other end of the line. */
export function ScrollListRow({ name, note }: { name: string; note: string }) {
  return (
    <div className={styles.row}>
      <span className={styles.name}>{name}</span>
      <span className={styles.note}>{note}</span>
    </div>
  );
}
