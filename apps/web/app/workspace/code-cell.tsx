import FilePlus from 'lucide-react/icons/file-plus';
import { useEffect, useRef } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { EditorPane } from './editor-pane.tsx';
import { openFileId, tabId } from './file-tab.tsx';
import type { Side } from './open-files.ts';
import { PanelButtons } from './rail.tsx';
import { useSource } from './source.ts';
import styles from './stage.module.css';
import { SymbolBar } from './symbol-bar.tsx';
import { TabStrip } from './tab-strip.tsx';
import { TabsMenu } from './tabs-menu.tsx';
import type { Workspace } from './workspace.ts';

interface CodeCellProps {
  workspace: Workspace;
  group?: Side;
}

/** Editor group: its tabs and the editor of the active file. */
export function CodeCell({ workspace, group = 0 }: CodeCellProps) {
  const { openFiles } = workspace;
  const { active } = useSource(openFiles.sides[group]);
  const arrangement = useSource(workspace.arrangement);
  const hasPanel = arrangement.panel !== null;
  const isFirst = group === 0;
  const cell = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = cell.current;
    const enter = () => openFiles.focusSide(group);
    element?.addEventListener('focusin', enter);
    return () => element?.removeEventListener('focusin', enter);
  }, [openFiles, group]);

  function startNewFile(): void {
    workspace.arrangement.set({ ...arrangement, panel: 'files' });
    workspace.tree.naming.set({ kind: 'file', folder: '' });
  }

  return (
    <section className={styles.cell} aria-label={isFirst ? 'Code' : 'Code, group 2'} ref={cell}>
      <div className={styles.strip}>
        {isFirst && (
          <div className={styles.phoneOnly}>
            <PanelButtons workspace={workspace} />
          </div>
        )}
        <TabStrip workspace={workspace} group={group} />
        {isFirst && !hasPanel && (
          <IconButton label="New file" size="small" onClick={startNewFile}>
            <FilePlus aria-hidden />
          </IconButton>
        )}
        <TabsMenu workspace={workspace} group={group} />
      </div>
      {active === undefined ? (
        <p className={styles.nothing}>No file open. Select one in Files.</p>
      ) : (
        <div
          id={openFileId(group)}
          role="tabpanel"
          aria-labelledby={tabId(active, group)}
          className={styles.fill}
        >
          <EditorPane workspace={workspace} path={active} group={group} />
        </div>
      )}
      {isFirst && <SymbolBar workspace={workspace} />}
    </section>
  );
}
