import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useSource } from '../workspace/source.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ProjectPackages } from './project-packages.ts';
import styles from './work-notice.module.css';

/** Progress of a package change or build. Always rendered, so that changes are announced. */
export function WorkProgress({ workspace }: { workspace: Workspace }) {
  const { packages } = workspace;
  const work = useSource(packages.work);
  const progress = useSource(packages.builds.progress);
  const message = work.status === 'working' ? work.words : progress;
  return (
    <div className={styles.progress}>
      <output aria-label="Package progress" className={styles.message}>
        {message}
      </output>
      {message !== null && (
        <Button size="small" variant="quiet" onClick={() => workspace.cancelPackages()}>
          Cancel
        </Button>
      )}
    </div>
  );
}

/** Error of the last package change. */
export function WorkFailure({ packages }: { packages: ProjectPackages }) {
  const work = useSource(packages.work);
  if (work.status !== 'failed') return null;
  return (
    <div className={styles.failure}>
      <ErrorNotice code={work.code} details={work.details}>
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
