import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import type { WorkspaceSession } from '../session.ts';
import { getWorkspacePath, type ProjectIdentity } from '../sharing/identity.ts';
import { compareFiles, type ProjectHistory } from './project-history.ts';
import styles from './publish-status.module.css';

interface PublishStatusProps {
  session: WorkspaceSession;
  project: ProjectIdentity;
  loadHistory: () => Promise<ProjectHistory>;
}

/** Part of the share dialog: which version others see. The owner can change it. */
export default function PublishStatus({ session, project, loadHistory }: PublishStatusProps) {
  const { publishedVersion, role } = project;
  const loaded = useLoaded(loadHistory, loadHistory);
  const history = loaded.value;
  const isChanged = useIsChanged(history, project);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ErrorCode>();
  const failure = failed ?? loaded.failure;

  async function perform(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setFailed(undefined);
    try {
      await work();
    } catch (error) {
      setFailed(findErrorCode(error));
    }
    setBusy(false);
  }

  return (
    <section aria-label="Publishing" className={styles.publishing}>
      <div className={styles.text}>
        <output aria-label="Publishing state" className={styles.state}>
          {publishedVersion === null ? (
            'Not published'
          ) : (
            <>
              Published:{' '}
              <Link to={`${getWorkspacePath(project)}/v/${publishedVersion}`}>
                version {publishedVersion}
              </Link>
              {isChanged && ' · Unpublished changes'}
              {isChanged === false && ' · Up to date'}
            </>
          )}
        </output>
        <p className={styles.note}>{describeAudience(project)}</p>
      </div>
      {role === 'owner' && history && session.user && (
        <div className={styles.buttons}>
          {publishedVersion !== null && (
            <Button busy={isBusy} onClick={() => void perform(() => history.publish(null))}>
              Unpublish
            </Button>
          )}
          {(publishedVersion === null || isChanged) && (
            <Button busy={isBusy} onClick={() => void perform(() => history.publishNow())}>
              {publishedVersion === null ? 'Publish version' : 'Publish changes'}
            </Button>
          )}
        </div>
      )}
      {failure && <ErrorNotice code={failure} />}
    </section>
  );
}

/** Who sees which state of the project. */
function describeAudience({ publishedVersion, visibility }: ProjectIdentity): string {
  if (visibility === 'private')
    return publishedVersion === null
      ? 'Only people in this project can see it.'
      : 'Only people in this project can see it while it’s private. They see later changes, too.';
  return publishedVersion === null
    ? 'Visitors see your latest changes. Publish a version to keep them from seeing work in progress.'
    : 'Visitors see this version. Only people in this project see later changes.';
}

/**
 * Whether the working copy differs from the published version, as of when this is shown. Undefined
 * until that is known.
 */
function useIsChanged(
  history: ProjectHistory | undefined,
  { publishedVersion }: ProjectIdentity,
): boolean | undefined {
  const [known, setKnown] = useState<{ version: number; isChanged: boolean }>();
  useEffect(() => {
    if (!history || publishedVersion === null) return;
    let isCurrent = true;
    const check = async () => {
      const [published, working] = await Promise.all([
        history.readState(publishedVersion),
        history.readState(null),
      ]);
      const isChanged = compareFiles(published.files, working.files).length > 0;
      if (isCurrent) setKnown({ version: publishedVersion, isChanged });
    };
    // Without a connection, the state is shown without it.
    check().catch(() => undefined);
    return () => void (isCurrent = false);
  }, [history, publishedVersion]);
  return known?.version === publishedVersion ? known.isChanged : undefined;
}
