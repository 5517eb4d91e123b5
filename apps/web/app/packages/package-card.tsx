import { describeError } from '@vitrine/project';
import { Button } from '../ui/button.tsx';
import { keepToastsAbove } from '../ui/toast.tsx';
import { useStore } from '../workspace/value-store.ts';
import type { PackageProgressProps } from './package-status.tsx';
import styles from '../workspace/preview/preview-overlay.module.css';

/** Card over the preview while packages are being installed, or if that failed. */
export function PackageCard({ packages, onCancel }: PackageProgressProps) {
  const work = useStore(packages.operation);
  const progress = useStore(packages.builds.progress);
  if (work.status !== 'failed') {
    return (
      <div ref={keepToastsAbove} className={styles.card}>
        <output className={styles.sentence}>
          {work.status === 'working' ? work.message : progress}
        </output>
        <div className={styles.buttons}>
          <Button size="small" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </div>
    );
  }
  const { message, action } = describeError(work.code);
  // The catalog's message doesn't name the package.
  const isUnknown = work.code === 'package_not_found' && work.details !== undefined;
  return (
    <div ref={keepToastsAbove} role="alert" className={styles.card}>
      <p className={styles.sentence}>
        {isUnknown ? `No package named “${work.details}” was found in the registry.` : message}
      </p>
      <p className={styles.action}>{action}</p>
      <div className={styles.buttons}>
        <Button size="small" onClick={() => packages.retry()}>
          Try again
        </Button>
        <Button size="small" variant="quiet" onClick={() => packages.dismiss()}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
