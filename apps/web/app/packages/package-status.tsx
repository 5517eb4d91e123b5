import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useStore } from '../workspace/value-store.ts';
import type { ProjectPackages } from './project-packages.ts';
import styles from './package-status.module.css';

export interface PackageProgressProps {
  packages: ProjectPackages;
  /** Cancels the installation. */
  onCancel: () => void;
}

/** Progress of a package change or build. Always rendered, so that changes are announced. */
export function PackageProgress({ packages, onCancel }: PackageProgressProps) {
  const work = useStore(packages.operation);
  const progress = useStore(packages.builds.progress);
  const message = work.status === 'working' ? work.message : progress;
  return (
    <div className={styles.progress}>
      <output aria-label="Package progress" className={styles.message}>
        {message}
      </output>
      {message !== null && (
        <Button size="small" variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </div>
  );
}

/** Error of the last package change. */
export function PackageFailure({ packages }: { packages: ProjectPackages }) {
  const work = useStore(packages.operation);
  if (work.status !== 'failed') return null;
  const heaviest = packages.findHeaviest();
  // These details are sentences: which packages require what, and a version that works.
  const isExplained = ['package_conflict', 'package_version_not_found'].includes(work.code);
  const note = isExplained
    ? work.details
    : heaviest === undefined
      ? undefined
      : `“${heaviest}” adds the most.`;
  return (
    <div className={styles.failure}>
      <ErrorNotice code={work.code} details={isExplained ? undefined : work.details} note={note}>
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
      </ErrorNotice>
    </div>
  );
}
