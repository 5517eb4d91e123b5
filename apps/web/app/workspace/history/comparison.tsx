import ArrowLeft from 'lucide-react/icons/arrow-left';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { Timer } from '../../schedule.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { keepFocus } from '../../ui/keep-focus.ts';
import { loadable } from '../../ui/loadable.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { isPhone } from '../layout/phone.ts';
import type { WorkspaceSession } from '../session.ts';
import type { ProjectIdentity } from '../sharing/identity.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { isSameTab, type Tab } from '../tabs/tabs.ts';
import { useStore } from '../value-store.ts';
import { ChangedFile, formatAssetSizes } from './changed-file.tsx';
import styles from './history-view.module.css';
import {
  compareFiles,
  type ComparedStates,
  type ComparedVersions,
  type FileDifference,
  type ProjectHistory,
  type ProjectState,
} from './project-history.ts';

interface ComparisonProps {
  history: ProjectHistory;
  session: WorkspaceSession;
  openFiles: OpenFiles;
  packages: ProjectPackages;
  project: ProjectIdentity;
  compared: ComparedVersions;
  /** Whether the diff of the active file, or else of the first one that differs, opens. */
  opensDiff: boolean;
  onChange: (compared: ComparedVersions) => void;
  onClose: () => void;
}

const ComparedPreviews = loadable(() => import('./compared-previews.tsx'));

/** The files that differ between two versions, each of which opens as a diff. */
export function Comparison(props: ComparisonProps) {
  const { history, session, openFiles, packages, project, compared } = props;
  const { opensDiff, onChange, onClose } = props;
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const { states, failure, retry } = useComparedStates(history, session, compared);
  const closeDiff = useFirstDiff(openFiles, compared, opensDiff ? states : undefined);
  const body = useMemo(() => keepFocus(() => back.current?.focus()), []);
  const [areShown, setShown] = useState(false);

  return (
    <>
      <div className={styles.compareHead}>
        <Button
          ref={back}
          size="small"
          variant="quiet"
          icon={<ArrowLeft aria-hidden />}
          onClick={() => {
            closeDiff();
            onClose();
          }}
        >
          All versions
        </Button>
        <VersionSelects {...{ history, compared, onChange }} />
        <Button size="small" disabled={!states} onClick={() => setShown(true)}>
          Compare previews
        </Button>
      </div>
      <div ref={body} className={styles.body}>
        {failure && (
          <ErrorNotice code={failure}>
            <Button size="small" onClick={retry}>
              Try again
            </Button>
          </ErrorNotice>
        )}
        {!states && !failure && <Skeleton width="60%" />}
        {states && (
          <Differences
            differences={compareFiles(states.before.files, states.after.files)}
            onOpen={(path) => openFiles.openReadOnly({ kind: 'diff', ...compared, path })}
          />
        )}
      </div>
      {areShown && states && (
        <ComparedPreviews
          {...{ project, packages, states }}
          loadAsset={history.loadAsset}
          onClose={() => setShown(false)}
        />
      )}
    </>
  );
}

/**
 * Opens the diff of the active file, or else of the first one that differs, once the states have
 * loaded. The returned function shows the tab before it again, unless another one is shown.
 */
function useFirstDiff(
  openFiles: OpenFiles,
  compared: ComparedVersions,
  states: ComparedStates | undefined,
): () => void {
  const previous = useRef<Tab>(undefined);
  const opened = useRef<Tab>(undefined);
  const open = useEffectEvent((versions: ComparedVersions) => {
    // On a phone, the panel covers the diffs.
    if (!states || isPhone()) return;
    const paths = compareFiles(states.before.files, states.after.files).map(({ path }) => path);
    const { active } = openFiles.activeTabs.get();
    const path = paths.find((each) => each === active?.path) ?? paths[0];
    if (path === undefined) return;
    if (!opened.current) previous.current = active;
    opened.current = { kind: 'diff', ...versions, path };
    openFiles.activate(opened.current);
  });
  const isLoaded = states !== undefined;
  useEffect(() => {
    if (isLoaded) open(compared);
  }, [compared, isLoaded]);
  return () => {
    const diff = opened.current;
    if (!diff || !isSameTab(diff, openFiles.activeTabs.get().active)) return;
    openFiles.close(diff);
    if (previous.current) openFiles.activate(previous.current);
  };
}

function VersionSelects({
  history,
  compared: { from, to },
  onChange,
}: Pick<ComparisonProps, 'history' | 'compared' | 'onChange'>) {
  const { versions = [] } = useStore(history.timeline);
  const numbers = new Set([...versions.map(({ number }) => number), from, ...(to ? [to] : [])]);
  const options = [...numbers]
    .sort((a, b) => b - a)
    .map((number) => {
      const message = versions.find((version) => version.number === number)?.message;
      return {
        value: String(number),
        label: `Version ${number}`,
        ...(message && { note: message }),
      };
    });
  return (
    <div className={styles.selects}>
      <Select
        label="From"
        size="small"
        value={String(from)}
        options={options.filter(({ value }) => value !== String(to))}
        onChange={(value) => onChange({ from: Number(value), to })}
      />
      <Select
        label="To"
        size="small"
        value={to === null ? current : String(to)}
        options={[
          { value: current, label: 'Current version' },
          ...options.filter(({ value }) => value !== String(from)),
        ]}
        onChange={(value) => onChange({ from, to: value === current ? null : Number(value) })}
      />
    </div>
  );
}

/** Value of the option for the files as they are now; versions have numbers. */
const current = 'current';

interface DifferencesProps {
  differences: readonly FileDifference[];
  onOpen: (path: string) => void;
}

function Differences({ differences, onOpen }: DifferencesProps) {
  const count = differences.length;
  return (
    <>
      <output className={styles.note}>
        {count === 0 ? 'No differences.' : count === 1 ? '1 file differs' : `${count} files differ`}
      </output>
      <ul aria-label="Changed files" className={styles.files}>
        {differences.map(({ path, kind, before, after }) => (
          <ChangedFile
            key={path}
            {...{ path, kind }}
            sizes={formatAssetSizes(before, after)}
            onOpen={() => onOpen(path)}
          />
        ))}
      </ul>
    </>
  );
}

/** Delay after an edit before the current version is compared again, in milliseconds. */
const editDelayMs = 300;

function useComparedStates(
  history: ProjectHistory,
  session: WorkspaceSession,
  { from, to }: ComparedVersions,
) {
  const loaded = useLoaded(`${from} ${to}`, async (): Promise<ComparedStates> => {
    const [before, after] = await Promise.all([history.readState(from), history.readState(to)]);
    return { before, after };
  });
  /** The current version since the last edit of it. */
  const [edited, setEdited] = useState<ProjectState>();
  const isOpen = useStore(session.openState).status === 'open';
  useEffect(() => {
    const text = session.opened?.text;
    if (!isOpen || !text) return;
    const timer = new Timer();
    const update = () => setEdited(history.readWorkingCopy());
    const listen = () => timer.start(editDelayMs, update);
    const unsubscribes = [text.files.subscribe(listen), text.assets.subscribe(listen)];
    return () => {
      timer.stop();
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }, [history, session, isOpen]);
  const { value, failure, retry } = loaded;
  const states = value && { ...value, after: (to === null && edited) || value.after };
  return { states, failure, retry };
}
