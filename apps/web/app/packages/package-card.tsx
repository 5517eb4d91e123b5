import { describeError } from '@vitrine/project';
import { Button } from '../ui/button.tsx';
import { useSource } from '../workspace/source.ts';
import type { ProjectPackages } from './project-packages.ts';
import styles from '../workspace/result-overlay.module.css';

/** Over the result while packages are on their way to it, or could not come. */
export function PackageCard({ packages }: { packages: ProjectPackages }) {
  const work = useSource(packages.work);
  const progress = useSource(packages.builds.progress);
  if (work.status === 'working') {
    return (
      <div className={styles.card}>
        <output className={styles.sentence}>{work.words}</output>
        <div className={styles.buttons}>
          <Button size="small" onClick={() => packages.cancel()}>
            Cancel
          </Button>
        </div>
      </div>
    );
  }
  if (work.status === 'idle') {
    return (
      <div className={styles.card}>
        <output className={styles.sentence}>{progress}</output>
      </div>
    );
  }
  const { sentence, action } = describeError(work.code);
  return (
    <div role="alert" className={styles.card}>
      <p className={styles.sentence}>{sentence}</p>
      <p className={styles.action}>{action}</p>
      <div className={styles.buttons}>
        <Button size="small" onClick={() => packages.retry()}>
          Try again
        </Button>
        <Button size="small" variant="quiet" onClick={() => packages.dismiss()}>
          Put aside
        </Button>
      </div>
    </div>
  );
}
