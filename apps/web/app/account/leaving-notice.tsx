import { useViewer } from '../session/viewer.ts';
import { KeepButton } from './keep-button.tsx';
import { leavingDay } from './leaving-day.ts';
import styles from './leaving-notice.module.css';

/** Banner on every page while the account's deletion is pending. */
export function LeavingNotice() {
  const viewer = useViewer();
  if (!viewer || viewer.leavesAt === null) return null;
  return (
    <aside aria-label="Your account" className={styles.notice}>
      <p>Your account will be deleted on {leavingDay(viewer.leavesAt)}.</p>
      <KeepButton viewer={viewer} />
    </aside>
  );
}
