import type { DiffPosition, DiffView } from '@vitrine/editor/diff';
import { findErrorCode, type ErrorCode, type ProjectFile } from '@vitrine/project';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import UnfoldVertical from 'lucide-react/icons/unfold-vertical';
import { useEffect, useRef, useState } from 'react';
import { formatKeys } from '@vitrine/editor/key-names';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import { findDocumentNonce } from '../bootstrap/document-nonce.ts';
import { AssetPane } from '../assets/asset-view.tsx';
import type { WorkspaceSession } from '../session.ts';
import type { EditorGroupIndex, OpenFiles } from '../tabs/open-files.ts';
import { getTabKey, type DiffTab } from '../tabs/tabs.ts';
import { useStore } from '../value-store.ts';
import styles from './diff-tab-view.module.css';

interface DiffTabViewProps {
  session: WorkspaceSession;
  openFiles: OpenFiles;
  preferences: PreferencesStore;
  tab: DiffTab;
  group?: EditorGroupIndex;
}

/** Both sides of a diff, once loaded. Undefined for a side that doesn't have the file. */
interface DiffSides {
  readonly before: ProjectFile | undefined;
  readonly after: ProjectFile | undefined;
}

/** A tab that compares a file in two versions, or in a version and the current version. */
export default function DiffTabView(props: DiffTabViewProps) {
  const { tab } = props;
  const { value: sides, failure, retry } = useLoaded(tab, () => readSides(tab, props));
  if (failure)
    return (
      <div className={styles.message}>
        <ErrorNotice code={failure}>
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        </ErrorNotice>
      </div>
    );
  if (!sides) return <output className={styles.message}>Loading…</output>;
  if (sides.before?.kind === 'asset' || sides.after?.kind === 'asset')
    return <AssetDiff {...props} sides={sides} />;
  return <TextDiff key={getTabKey(tab)} {...props} sides={sides} />;
}

/** Loads both sides of a diff. */
async function readSides(
  { from, to, path }: DiffTab,
  { session, openFiles }: Pick<DiffTabViewProps, 'session' | 'openFiles'>,
): Promise<DiffSides> {
  const readAfter = async () => {
    if (to !== null) return openFiles.readVersion(to, path);
    await session.whenOpened();
    return session.readFiles().get(path);
  };
  const [before, after] = await Promise.all([openFiles.readVersion(from, path), readAfter()]);
  return { before, after };
}

/** Both sides of a diff that aren't both text, as previews. */
function AssetDiff({ session, tab, sides }: DiffTabViewProps & { sides: DiffSides }) {
  const { before, after } = sides;
  return (
    <div className={styles.assets}>
      {[
        { name: `Version ${tab.from}`, file: before },
        { name: tab.to === null ? 'Current version' : `Version ${tab.to}`, file: after },
      ].map(({ name, file }) => (
        <section key={name} aria-label={name} className={styles.asset}>
          <h3 className={styles.side}>{name}</h3>
          {file?.kind === 'asset' ? (
            <AssetPane loadAsset={session.loadAsset} path={tab.path} asset={file} />
          ) : (
            <p className={styles.message}>{file ? 'A text file.' : 'No file at this path.'}</p>
          )}
        </section>
      ))}
    </div>
  );
}

/** Narrower than this, the two texts are shown in one column. */
const minSideBySideWidth = 720;

function TextDiff({ sides, ...props }: DiffTabViewProps & { sides: DiffSides }) {
  const { session, openFiles, preferences, group, tab } = props;
  const { before, after } = sides;
  const { codeTheme, wraps } = useStore(preferences.current);
  const parent = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState<DiffPosition>();
  const [isCollapsed, setCollapsed] = useState(true);
  const [view, setView] = useState<DiffView>();
  const [failure, setFailure] = useState<ErrorCode>();

  useEffect(() => {
    const element = parent.current;
    if (!element) return;
    let isMounted = true;
    let opened: DiffView | undefined;
    const open = async () => {
      const diff = await import('@vitrine/editor/diff');
      await diff.loadLanguage(tab.path);
      if (!isMounted) return;
      const nonce = findDocumentNonce();
      opened = new diff.DiffView({
        parent: element,
        path: tab.path,
        before: describeSide(tab.path, tab.from, before),
        after: describeSide(tab.path, tab.to, after),
        isUnified: element.clientWidth < minSideBySideWidth,
        isCollapsed: true,
        settings: preferences.current.get(),
        onChange: setPosition,
        ...(nonce !== undefined && { nonce }),
      });
      setView(opened);
      if (openFiles.takeLocation(tab, group)) opened.focus();
    };
    open().catch((error: unknown) => isMounted && setFailure(findErrorCode(error)));
    const observer = new ResizeObserver(() =>
      opened?.update({ isUnified: element.clientWidth < minSideBySideWidth }),
    );
    observer.observe(element);
    return () => {
      isMounted = false;
      observer.disconnect();
      opened?.close();
      setView(undefined);
    };
  }, [tab, before, after, preferences, openFiles, group]);

  useEffect(() => view?.update({ isCollapsed }), [view, isCollapsed]);
  useEffect(() => {
    const update = () => view?.update({ settings: preferences.current.get() });
    return preferences.current.subscribe(update);
  }, [view, preferences]);
  useEffect(() => {
    const text = session.opened?.text;
    if (!view || tab.to !== null || !text) return;
    return text.files.subscribe(() =>
      view.update({ afterText: text.files.get().get(tab.path) ?? '' }),
    );
  }, [view, session, tab]);

  return (
    <div
      className={styles.diff}
      data-code-theme={codeTheme === 'vitrine' ? undefined : codeTheme}
      data-wraps={wraps || undefined}
    >
      <div className={styles.bar}>
        <output className={styles.count}>{formatPosition(position)}</output>
        <IconButton
          label="Previous change"
          keys={formatKeys('Shift-Alt-F5')}
          size="small"
          onClick={() => view?.goToChange(-1)}
        >
          <ArrowUp aria-hidden />
        </IconButton>
        <IconButton
          label="Next change"
          keys={formatKeys('Alt-F5')}
          size="small"
          onClick={() => view?.goToChange(1)}
        >
          <ArrowDown aria-hidden />
        </IconButton>
        <IconButton
          label="Show unchanged lines"
          size="small"
          pressed={!isCollapsed}
          onClick={() => setCollapsed(!isCollapsed)}
        >
          <UnfoldVertical aria-hidden />
        </IconButton>
      </div>
      {failure && <ErrorNotice code={failure} />}
      <div ref={parent} className={styles.editors} />
    </div>
  );
}

function describeSide(path: string, number: number | null, file: ProjectFile | undefined) {
  const state = number === null ? 'current version' : `version ${number}`;
  return { name: `${path} (${state})`, text: file?.kind === 'text' ? file.text : '' };
}

/** "No changes", "1 change", "Change 2 of 5". */
function formatPosition(position: DiffPosition | undefined): string {
  if (!position) return '';
  const { count, current } = position;
  if (count === 0) return 'No changes';
  if (current > 0) return `Change ${current} of ${count}`;
  return count === 1 ? '1 change' : `${count} changes`;
}
