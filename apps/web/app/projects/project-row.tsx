import Ellipsis from 'lucide-react/icons/ellipsis';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import styles from './project-row.module.css';

/** A list of projects or drafts. */
export function ProjectRows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

interface WorkRowProps {
  title: string;
  /** Link target; projects in the trash have none. */
  to?: string;
  /** Checkbox that selects the row. */
  select?: ReactNode;
  /** A short detail, such as the visibility. */
  details?: ReactNode;
  /** More about it, below the title. */
  below?: ReactNode;
  changedAt: string | Date;
  /** Buttons that are always visible. */
  actions?: ReactNode;
  /** Items of the row's menu. */
  menu?: ReactNode;
}

export function ProjectRow(props: WorkRowProps) {
  const { title, to, select, details, below, changedAt, actions, menu } = props;
  return (
    <li className={styles.row} data-selectable={select !== undefined || undefined}>
      {select}
      <span className={styles.text}>
        <span className={styles.title}>
          {to ? (
            <Link to={to} className={styles.link}>
              <bdi>{title}</bdi>
            </Link>
          ) : (
            <bdi>{title}</bdi>
          )}
        </span>
        {below}
      </span>
      <span className={styles.details}>{details}</span>
      <span className={styles.time}>
        <RelativeTime at={changedAt} />
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
