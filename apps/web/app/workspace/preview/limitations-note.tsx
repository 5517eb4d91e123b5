import styles from './limitations-note.module.css';
import type { PreviewController } from './preview-controller.ts';
import { useStore } from '../value-store.ts';

/**
 * One line about features that previews lack in this browser. Renders nothing if there are none.
 */
export function LimitationsNote({ preview }: { preview: PreviewController }) {
  const missing = useStore(preview.limitations);
  if (missing === null) return null;
  return (
    <p className={styles.line} title={missing}>
      {missing}
    </p>
  );
}
