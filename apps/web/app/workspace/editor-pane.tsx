import { useEffect, useRef, useState } from 'react';
import '@vitrine/editor/editor.css';
import { BeginEditor } from './begin-editor.tsx';
import styles from './editor-pane.module.css';
import type { Side } from './open-files.ts';
import type { Pane } from './pane.ts';
import { Source, useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const nothingShown = new Source<string | undefined>(undefined);
const notNeeded = new Source(false);

interface EditorPaneProps {
  workspace: Workspace;
  path: string;
  /** None where every file has a place of its own. */
  side?: Side;
}

/**
 * The editor of a file. Until its code and the document are there, the text stands as the server
 * rendered it, in the editor's own measures, so that nothing moves when it comes alive.
 */
export function EditorPane({ workspace, path, side }: EditorPaneProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [pane, setPane] = useState<Pane>();
  const shown = useSource(pane?.shown ?? nothingShown);
  const { codeTheme, wraps } = useSource(workspace.preferences.now);
  const needsWayOut = useSource(pane?.needsWayOut ?? notNeeded);

  useEffect(() => {
    if (!parent.current) return;
    const opened = workspace.openFiles.openPane(parent.current, side);
    setPane(opened);
    return () => workspace.openFiles.closePane(opened);
  }, [workspace, side]);
  useEffect(() => void pane?.show(path), [pane, path]);

  return (
    <div
      className={styles.pane}
      data-code-theme={codeTheme === 'vitrine' ? undefined : codeTheme}
      data-wraps={wraps || undefined}
    >
      {shown === undefined && <StillText text={workspace.initialText(path)} />}
      {/* An editor may have begun in it, which is none of React's: a text that it need not compare. */}
      <div ref={parent} className={styles.editor} data-editor-of={path} suppressHydrationWarning>
        {''}
      </div>
      <BeginEditor workspace={workspace} path={path} />
      {/* The editor itself says it to who cannot see it. */}
      {needsWayOut && (
        <p aria-hidden className={styles.wayOut}>
          Press <kbd>Esc</kbd>, then <kbd>Tab</kbd> to leave the editor
        </p>
      )}
    </div>
  );
}

/** Enough lines to fill any screen; the editor shows the rest. */
const stillLines = 120;

function StillText({ text }: { text: string }) {
  const lines = text.split('\n').slice(0, stillLines);
  return (
    <div className={styles.still} aria-hidden>
      <div className={styles.numbers}>{lines.map((_, index) => index + 1).join('\n')}</div>
      <pre className={styles.text}>{lines.join('\n')}</pre>
    </div>
  );
}
