import { useEffect, useRef, useState } from 'react';
import '@vitrine/editor/editor.css';
import { BeginEditor } from './begin-editor.tsx';
import styles from './editor-pane.module.css';
import type { Side } from './open-files.ts';
import type { Pane } from './pane.ts';
import { Source, useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const noPath = new Source<string | undefined>(undefined);
const never = new Source(false);

interface EditorPaneProps {
  workspace: Workspace;
  path: string;
  /** Undefined in a layout where every file has its own editor. */
  group?: Side;
}

/**
 * Editor of a file. Until the editor's code and the document have loaded, it shows the
 * server-rendered text with the same metrics, so that nothing shifts.
 */
export function EditorPane({ workspace, path, group }: EditorPaneProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [pane, setPane] = useState<Pane>();
  const shown = useSource(pane?.shown ?? noPath);
  const { codeTheme, wraps } = useSource(workspace.preferences.now);
  const needsWayOut = useSource(pane?.needsWayOut ?? never);

  useEffect(() => {
    if (!parent.current) return;
    const opened = workspace.openFiles.openPane(parent.current, group);
    setPane(opened);
    return () => workspace.openFiles.closePane(opened);
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
      <BeginEditor workspace={workspace} path={path} />
      {/* Screen readers get the same hint from the editor's description. */}
      {needsWayOut && (
        <p aria-hidden className={styles.wayOut}>
          Press <kbd>Esc</kbd>, then <kbd>Tab</kbd> to leave the editor
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
