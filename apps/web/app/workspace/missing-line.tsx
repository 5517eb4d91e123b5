import styles from './missing-line.module.css';
import type { Result } from './result.ts';
import { useSource } from './source.ts';

/** What a result cannot do in this browser, where that is anything. */
export function MissingLine({ result }: { result: Result }) {
  const missing = useSource(result.missing);
  if (missing === null) return null;
  return (
    <p className={styles.line} title={missing}>
      {missing}
    </p>
  );
}
