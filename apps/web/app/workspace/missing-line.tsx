import styles from './missing-line.module.css';
import type { Result } from './result.ts';
import { useSource } from './source.ts';

/**
 * One line about features that previews lack in this browser. Renders nothing if there are none.
 */
export function MissingLine({ preview }: { preview: Result }) {
  const missing = useSource(preview.missing);
  if (missing === null) return null;
  return (
    <p className={styles.line} title={missing}>
      {missing}
    </p>
  );
}
