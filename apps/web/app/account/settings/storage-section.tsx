import {
  formatStorageUsage,
  isNearlyFull,
  nearlyFull,
  type StorageUsage,
} from '../../assets/storage-usage.ts';
import styles from './settings.module.css';

/** Settings section with the storage that the user's uploads take. */
export function StorageSection({ usage }: { usage: StorageUsage | undefined }) {
  return (
    <section className={styles.section} aria-labelledby="storage-heading">
      <h2 id="storage-heading" className={styles.heading}>
        Storage
      </h2>
      {usage ? (
        <>
          <meter
            className={styles.meter}
            aria-labelledby="storage-heading"
            aria-describedby="storage-usage"
            max={usage.quota}
            high={usage.quota * nearlyFull}
            optimum={0}
            value={usage.used}
          />
          <p id="storage-usage">
            {formatStorageUsage(usage)} used
            {isNearlyFull(usage) && '. Your storage is almost full.'}
          </p>
          <p className={styles.note}>
            Images, fonts, and other files you’ve uploaded. Deleted files keep counting until 7 days
            after the last version that uses them is gone.
          </p>
        </>
      ) : (
        <p className={styles.note}>We couldn’t load this. Reload the page to try again.</p>
      )}
    </section>
  );
}
