import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { AssetPane } from '../assets/asset-view.tsx';
import type { WorkspaceSession } from '../session.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { VersionTab } from '../tabs/tabs.ts';
import styles from './diff-tab-view.module.css';

interface VersionFileViewProps {
  session: WorkspaceSession;
  openFiles: OpenFiles;
  tab: VersionTab;
}

/** A file of a version that has no text: an asset, or why there is nothing to show. */
export default function VersionFileView({ session, openFiles, tab }: VersionFileViewProps) {
  const { number, path } = tab;
  const load = async () => (await openFiles.readVersion(number, path)) ?? null;
  const { value: file, failure, retry } = useLoaded(`${number} ${path}`, load);
  if (file?.kind === 'asset')
    return <AssetPane loadAsset={session.loadAsset} path={path} asset={file} />;
  return (
    <div className={styles.message}>
      {failure ? (
        <ErrorNotice code={failure}>
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        </ErrorNotice>
      ) : file === null ? (
        `Version ${number} has no file at this path.`
      ) : (
        'Loading…'
      )}
    </div>
  );
}
