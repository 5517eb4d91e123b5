import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useSource } from '../workspace/source.ts';
import type { ProjectPackages } from './project-packages.ts';
import styles from './work-notice.module.css';

/** What is being done about the packages, or why it could not be. */
export function WorkNotice({ packages }: { packages: ProjectPackages }) {
  const work = useSource(packages.work);
  const progress = useSource(packages.builds.progress);
  return (
    <>
      <div className={styles.progress}>
        {/* Always there, so that what comes into it is read out. */}
        <output aria-label="Package progress" className={styles.words}>
          {work.status === 'working' ? work.words : progress}
        </output>
        {work.status === 'working' && (
          <Button size="small" variant="quiet" onClick={() => packages.cancel()}>
            Cancel
          </Button>
        )}
      </div>
      {work.status === 'failed' && (
        <div className={styles.failure}>
          <ErrorNotice code={work.code} details={work.details}>
            <Button size="small" onClick={() => packages.retry()}>
              Try again
            </Button>
            <Button size="small" variant="quiet" onClick={() => packages.dismiss()}>
              Put aside
            </Button>
          </ErrorNotice>
        </div>
      )}
    </>
  );
}
