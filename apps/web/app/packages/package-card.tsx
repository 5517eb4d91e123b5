import { isPackageName } from '@vitrine/esm/lockfile';
import { describeError, type ErrorCode } from '@vitrine/project';
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
        <output className={styles.message}>
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
  const { message, action } = describeFailure(work.code, work.details);
  const heaviest = packages.findHeaviest();
  return (
    <div ref={keepToastsAbove} role="alert" className={styles.card}>
      <p className={styles.message}>{message}</p>
      <p className={styles.action}>{action}</p>
      <div className={styles.buttons}>
        {heaviest !== undefined && (
          <Button size="small" onClick={() => void packages.remove(heaviest)}>
            Remove {heaviest}
          </Button>
        )}
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

/** The catalog's messages don't name the package. */
function describeFailure(code: ErrorCode, details: string | undefined) {
  const { message, action } = describeError(code);
  switch (code) {
    case 'package_not_found':
      return details === undefined
        ? { message, action }
        : { message: `No package named “${details}” was found in the registry.`, action };
    case 'package_conflict':
    case 'package_version_not_found':
      return { message: details ?? message, action };
    case 'too_many_packages':
      return isPackageName(details ?? '')
        ? { message: `${message} “${details}” adds the most.`, action }
        : { message, action };
    default:
      return { message, action };
  }
}
