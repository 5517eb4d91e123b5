import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useViewer } from '../../session/viewer.ts';
import { CancelDeletionButton } from './cancel-deletion-button.tsx';
import { formatDeletionDate } from './format-deletion-date.ts';
import styles from './deletion-banner.module.css';

/** Banner on every page while the account's deletion is pending. */
export function DeletionBanner() {
  const viewer = useViewer();
  if (!viewer || viewer.deletionDueAt === null) return null;
  return (
    <aside aria-label="Your account" className={styles.notice}>
      <p className={styles.text}>
        <TriangleAlert aria-hidden className={styles.icon} />
        Your account will be deleted on {formatDeletionDate(viewer.deletionDueAt)}.
      </p>
      <CancelDeletionButton viewer={viewer} />
    </aside>
  );
}
