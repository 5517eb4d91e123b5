import type { ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './card.module.css';

interface CardProps {
  to: string;
  title: string;
  /** The picture at 16:10, or what stands for it. */
  picture?: ReactNode;
  /** One quiet line under the title. */
  note?: ReactNode;
  /** At the end of the title's line, above the link. */
  aside?: ReactNode;
}

/** One thing to open. The whole card is its link; the link's name is the title. */
export function Card({ to, title, picture, note, aside }: CardProps) {
  return (
    <article className={styles.card}>
      {picture && <div className={styles.picture}>{picture}</div>}
      <div className={styles.words}>
        <h3 className={styles.title}>
          <Link to={to} className={styles.link}>
            {title}
          </Link>
        </h3>
        {note && <div className={styles.note}>{note}</div>}
      </div>
      {aside && <div className={styles.aside}>{aside}</div>}
    </article>
  );
}

/** Cards in as many columns as fit. */
export function CardGrid({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.grid} aria-label={label}>
      {children}
    </ul>
  );
}
