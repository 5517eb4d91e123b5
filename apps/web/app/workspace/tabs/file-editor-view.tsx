import { useEffect, useRef, useState } from 'react';
import '@vitrine/editor/editor.css';
import { loadable } from '../../ui/loadable.tsx';
import { EarlyEditorScript } from '../bootstrap/early-editor-script.tsx';
import styles from './file-editor-view.module.css';
import type { EditorGroupIndex, OpenFiles } from './open-files.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { WorkspaceSession } from '../session.ts';
import type { ProjectTree } from '../tree/project-tree.ts';
import type { EditorHost } from '../bootstrap/editor-host.ts';
import { getEditedPath, getTabKey, isSameTab, type EditorTab, type Tab } from './tabs.ts';
import { ValueStore, useStore } from '../value-store.ts';

const noTab = new ValueStore<Tab | undefined>(undefined);
const never = new ValueStore(false);

export interface FileEditorViewProps {
  session: WorkspaceSession;
  openFiles: OpenFiles;
  tree: ProjectTree;
  preferences: PreferencesStore;
  tab: Tab;
  /** Undefined in a layout where every file has its own editor. */
  group?: EditorGroupIndex;
}

const AssetView = loadable(() => import('../assets/asset-view.tsx'));
const VersionFileView = loadable(() => import('../history/version-file-view.tsx'));
const DiffTabView = loadable(() => import('../history/diff-tab-view.tsx'));

/** A tab in an editor group: the editor of a text, the view of an asset, or a diff. */
export function FileEditorView({ tab, ...props }: FileEditorViewProps) {
  const path = getEditedPath(tab);
  const assets = useStore(props.session.assets);
  const asset = path === undefined ? undefined : assets.get(path);
  if (tab.kind === 'diff') return <DiffTabView {...props} tab={tab} />;
  return asset && path !== undefined ? (
    <AssetView session={props.session} tree={props.tree} path={path} asset={asset} />
  ) : (
    <TextEditorView {...props} tab={tab} />
  );
}

interface TextEditorViewProps extends FileEditorViewProps {
  tab: EditorTab;
}

/**
 * Editor of a tab. Until the editor's code and the document have loaded, or the editor has moved to
 * another layout, it shows a file's text with the same metrics, so that nothing shifts.
 */
function TextEditorView({ session, openFiles, preferences, tab, group }: TextEditorViewProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [pane, setPane] = useState<EditorHost>();
  const shown = useStore(pane?.shown ?? noTab);
  const isMissing = isSameTab(tab, useStore(pane?.missing ?? noTab));
  const path = getEditedPath(tab);
  // Until then, the editor may still show the previous tab.
  const isCovered = path === undefined && !isSameTab(tab, shown);
  const { codeTheme, wraps } = useStore(preferences.current);
  const needsWayOut = useStore(pane?.showsTabHint ?? never);

  useEffect(() => {
    if (!parent.current) return;
    const opened = openFiles.mountEditor(parent.current, group);
    setPane(opened);
    return () => openFiles.closeEditor(opened);
  }, [openFiles, group]);
  useEffect(() => void pane?.show(tab), [pane, tab]);

  return (
    <div
      className={styles.pane}
      data-code-theme={codeTheme === 'vitrine' ? undefined : codeTheme}
      data-wraps={wraps || undefined}
    >
      {shown === undefined && path !== undefined && (
        <StaticText text={session.files().get(path) ?? ''} />
      )}
      {/* May already contain an early editor that React doesn't know. The empty text avoids a
          hydration mismatch. */}
      <div ref={parent} className={styles.editor} data-editor-of={path} suppressHydrationWarning>
        {''}
      </div>
      {path !== undefined && (
        <EarlyEditorScript session={session} preferences={preferences} path={path} />
      )}
      {isCovered &&
        (isMissing && tab.kind === 'version' ? (
          <div className={styles.page}>
            <VersionFileView key={getTabKey(tab)} {...{ session, openFiles, tab }} />
          </div>
        ) : (
          <output className={styles.cover}>
            {isMissing
              ? 'These declarations aren’t available. Their package may have been removed.'
              : 'Loading…'}
          </output>
        ))}
      {/* Screen readers get the same hint from the editor's description. */}
      {needsWayOut && (
        <p aria-hidden className={styles.wayOut}>
          Press <kbd>Esc</kbd>, then <kbd>Tab</kbd>, to leave the editor.
        </p>
      )}
    </div>
  );
}

/** Enough lines to fill any screen. The editor renders the rest. */
const maxLines = 120;

function StaticText({ text }: { text: string }) {
  const lines = text.split('\n').slice(0, maxLines);
  return (
    // An inline script may have replaced the text by what was typed before the page was loaded.
    <div className={styles.static} aria-hidden data-static-text>
      <div className={styles.numbers} data-max-lines={maxLines} suppressHydrationWarning>
        {lines.map((_, index) => index + 1).join('\n')}
      </div>
      <pre className={styles.text} suppressHydrationWarning>
        {lines.join('\n')}
      </pre>
    </div>
  );
}
