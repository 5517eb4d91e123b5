import Ellipsis from 'lucide-react/icons/ellipsis';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { Moment } from '../ui/moment.tsx';
import styles from './work-row.module.css';

/** Rows of things one made, between hairlines. */
export function WorkRows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

interface WorkRowProps {
  title: string;
  /** Where it opens; in the trash nothing does. */
  to?: string;
  /** One word or two on what it is, e.g. who sees it. */
  about?: ReactNode;
  changedAt: string | Date;
  /** Buttons that are always in sight. */
  actions?: ReactNode;
  /** What else can be done, in a menu. */
  menu?: ReactNode;
}

export function WorkRow({ title, to, about, changedAt, actions, menu }: WorkRowProps) {
  return (
    <li className={styles.row}>
      <span className={styles.title}>
        {to ? (
          <Link to={to} className={styles.link}>
            {title}
          </Link>
        ) : (
          title
        )}
      </span>
      <span className={styles.about}>{about}</span>
      <span className={styles.time}>
        <Moment at={changedAt} />
      </span>
      <span className={styles.actions}>
        {actions}
        {menu && (
          <Menu
            trigger={
              <IconButton label={`Actions for ${title}`} size="small">
                <Ellipsis aria-hidden />
              </IconButton>
            }
          >
            {menu}
          </Menu>
        )}
      </span>
    </li>
  );
}
