import { useEffect, useRef, useState } from 'react';
import '@vitrine/editor/editor.css';
import type { AssetFile } from '@vitrine/project';
import { EarlyEditorScript } from '../bootstrap/early-editor-script.tsx';
import { formatSize } from '../network/network-monitor.ts';
import styles from './file-editor-view.module.css';
import type { EditorGroupIndex } from './open-files.ts';
import type { EditorHost } from '../bootstrap/editor-host.ts';
import { ValueStore, useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

const noPath = new ValueStore<string | undefined>(undefined);
const never = new ValueStore(false);

interface EditorPaneProps {
  workspace: Workspace;
  path: string;
  /** Undefined in a layout where every file has its own editor. */
  group?: EditorGroupIndex;
}

/** A file in an editor group: the editor of a text, or what is known of an asset. */
export function FileEditorView(props: EditorPaneProps) {
  const asset = useStore(props.workspace.assets).get(props.path);
  return asset ? <AssetView asset={asset} /> : <TextEditorView {...props} />;
}

function AssetView({ asset: { mediaType, size } }: { asset: AssetFile }) {
  return (
    <p className={styles.asset}>
      {mediaType} · {formatSize(size)}
    </p>
  );
}

/**
 * Editor of a text file. Until the editor's code and the document have loaded, it shows the
 * server-rendered text with the same metrics, so that nothing shifts.
 */
function TextEditorView({ workspace, path, group }: EditorPaneProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [pane, setPane] = useState<EditorHost>();
  const shown = useStore(pane?.shownPath ?? noPath);
  const { codeTheme, wraps } = useStore(workspace.preferences.current);
  const needsWayOut = useStore(pane?.showsTabHint ?? never);

  useEffect(() => {
    if (!parent.current) return;
    const opened = workspace.openFiles.mountEditor(parent.current, group);
    setPane(opened);
    return () => workspace.openFiles.closeEditor(opened);
  }, [workspace, group]);
  useEffect(() => void pane?.show(path), [pane, path]);

  return (
    <div
      className={styles.pane}
      data-code-theme={codeTheme === 'vitrine' ? undefined : codeTheme}
      data-wraps={wraps || undefined}
    >
      {shown === undefined && <StaticText text={workspace.initialText(path)} />}
      {/* May already contain an early editor that React doesn't know. The empty text avoids a
          hydration mismatch. */}
      <div ref={parent} className={styles.editor} data-editor-of={path} suppressHydrationWarning>
        {''}
      </div>
      <EarlyEditorScript workspace={workspace} path={path} />
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
    <div className={styles.static} aria-hidden>
      <div className={styles.numbers}>{lines.map((_, index) => index + 1).join('\n')}</div>
      <pre className={styles.text}>{lines.join('\n')}</pre>
    </div>
  );
}
