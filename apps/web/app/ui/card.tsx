import type { ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './card.module.css';

interface CardProps {
  to: string;
  title: string;
  /** The image, 16:10. */
  picture?: ReactNode;
  /** A line of secondary text below the title. */
  note?: ReactNode;
  /** Controls at the end of the title's line, above the link. */
  aside?: ReactNode;
}

/** A card whose whole area is a link, named by its title. */
export function Card({ to, title, picture, note, aside }: CardProps) {
  return (
    <article className={styles.card}>
      {picture && <div className={styles.picture}>{picture}</div>}
      <div className={styles.text}>
        <h3 className={styles.title}>
          <Link to={to} className={styles.link}>
            <bdi>{title}</bdi>
          </Link>
        </h3>
        {note && <div className={styles.note}>{note}</div>}
      </div>
      {aside && <div className={styles.aside}>{aside}</div>}
    </article>
  );
}

/** A list of cards in as many columns as fit. */
export function CardGrid({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.grid} aria-label={label}>
      {children}
    </ul>
  );
}
