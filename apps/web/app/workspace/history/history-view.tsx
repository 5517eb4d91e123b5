import { describeError, findErrorCode, limits } from '@vitrine/project';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { keepFocus } from '../../ui/keep-focus.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { useRequestedFocus, type LayoutController } from '../layout/layout-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import { canSave, type ProjectIdentity } from '../sharing/identity.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';
import { Comparison } from './comparison.tsx';
import styles from './history-view.module.css';
import type { ProjectHistory, Timeline } from './project-history.ts';
import { versionMessageName } from './save-version.ts';
import { VersionRow } from './version-row.tsx';

/** Name of the panel, for `LayoutController.requestedFocus`. */
const panelName = 'history';

interface HistoryViewProps {
  loadHistory: () => Promise<ProjectHistory>;
  session: WorkspaceSession;
  layout: LayoutController;
  openFiles: OpenFiles;
  packages: ProjectPackages;
}

/** Content of the History panel: the project's versions, newest first. */
export default function HistoryView(props: HistoryViewProps) {
  const identity = useStore(props.session.identity);
  const { loadHistory } = props;
  const { value: history, failure, retry } = useLoaded(loadHistory, loadHistory);
  if (identity.kind === 'draft') return <DraftNote layout={props.layout} />;
  if (failure)
    return (
      <ErrorNotice code={failure}>
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      </ErrorNotice>
    );
  if (!history) return <TimelineSkeleton />;
  return <ProjectHistoryView {...props} project={identity} history={history} />;
}

function DraftNote({ layout }: { layout: LayoutController }) {
  // Nothing to focus: the request ends.
  useRequestedFocus(layout, panelName, () => null);
  return (
    <p className={styles.note}>Drafts don’t have versions. Save this one to start its history.</p>
  );
}

interface ProjectHistoryViewProps extends HistoryViewProps {
  project: ProjectIdentity;
  history: ProjectHistory;
}

function ProjectHistoryView({ project, history, ...props }: ProjectHistoryViewProps) {
  const { session, layout, openFiles, packages } = props;
  const timeline = useStore(history.timeline);
  const compared = useStore(history.compared);
  const isMessageRequested = useStore(layout.requestedFocus) === versionMessageName;
  // Before the form has taken the focus, which ends the request.
  useLayoutEffect(() => {
    if (isMessageRequested) history.compared.set(null);
  }, [history, isMessageRequested]);
  /** What was compared when the panel was opened, whose diff isn't opened once more. */
  const [restored] = useState(compared);
  const content = useRef<HTMLDivElement>(null);
  useRequestedFocus(layout, panelName, () => content.current?.querySelector('button'));
  const body = useMemo(() => keepFocus(() => layout.requestedFocus.set(panelName)), [layout]);
  useEffect(() => void history.load(), [history]);
  if (compared && !isMessageRequested)
    return (
      <Comparison
        {...{ history, session, openFiles, packages, project, compared }}
        opensDiff={compared !== restored}
        onChange={(next) => history.compared.set(next)}
        onClose={() => layout.showAndFocus(panelName, () => history.compared.set(null))}
      />
    );
  return (
    <div ref={content} className={styles.content}>
      {canSave(project) && <SaveVersion {...{ history, layout }} />}
      <div ref={body} className={styles.body}>
        {timeline.failure && (
          <ErrorNotice code={timeline.failure}>
            <Button size="small" onClick={() => void history.load()}>
              Try again
            </Button>
          </ErrorNotice>
        )}
        {timeline.versions ? (
          <>
            <EmptyTimeline timeline={timeline} project={project} />
            <ol aria-label="Versions" className={styles.list}>
              {timeline.versions.map((version) => (
                <VersionRow
                  key={version.number}
                  {...{ history, session, openFiles, project, version }}
                  onCompare={() => history.compared.set({ from: version.number, to: null })}
                />
              ))}
            </ol>
          </>
        ) : (
          timeline.isLoading && <TimelineSkeleton />
        )}
        {timeline.hasMore && (
          <Button
            size="small"
            variant="quiet"
            className={styles.more}
            busy={timeline.isLoading}
            onClick={() => void history.loadMore()}
          >
            Load more
          </Button>
        )}
      </div>
    </div>
  );
}

function EmptyTimeline({ timeline, project }: { timeline: Timeline; project: ProjectIdentity }) {
  if (timeline.versions?.length !== 0) return null;
  return (
    <EmptyState
      title={
        canSave(project)
          ? 'No versions yet. Save one to compare it with later changes or restore it.'
          : 'This project has no versions yet.'
      }
    />
  );
}

function TimelineSkeleton() {
  return (
    <output aria-label="Loading versions" className={styles.skeleton}>
      <Skeleton width="70%" />
      <Skeleton width="45%" />
      <Skeleton width="60%" />
    </output>
  );
}

interface SaveVersionProps {
  history: ProjectHistory;
  layout: LayoutController;
}

/** Button that becomes the form for a version's message. */
function SaveVersion({ history, layout }: SaveVersionProps) {
  const [isOpen, setOpen] = useState(false);
  const isRequested = useStore(layout.requestedFocus) === versionMessageName;
  if (isRequested && !isOpen) setOpen(true);
  const button = useRef<HTMLButtonElement>(null);

  function close(): void {
    setOpen(false);
    requestAnimationFrame(() => button.current?.focus());
  }

  return (
    <div className={styles.save}>
      {isOpen ? (
        <SaveVersionForm history={history} layout={layout} onClose={close} />
      ) : (
        <Button
          ref={button}
          size="small"
          className={styles.saveButton}
          onClick={() => layout.showAndFocus(versionMessageName, () => setOpen(true))}
        >
          Save version…
        </Button>
      )}
    </div>
  );
}

function SaveVersionForm({ history, layout, onClose }: SaveVersionProps & { onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useRequestedFocus(layout, versionMessageName, () => field.current);
  const [message, setMessage] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const number = await history.save(message);
      showToast({ title: `Saved version ${number}` });
      onClose();
    } catch (failure) {
      const described = describeError(findErrorCode(failure));
      setError(`${described.message} ${described.action}`);
      setBusy(false);
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <TextField
        ref={field}
        label="What changed?"
        description="Optional"
        maxLength={limits.versionMessageMax}
        value={message}
        error={error}
        onChange={({ target }) => setMessage(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      />
      <div className={styles.buttons}>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" size="small" variant="primary" busy={isBusy}>
          Save version
        </Button>
      </div>
    </form>
  );
}
