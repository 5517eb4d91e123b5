import FilePlus from 'lucide-react/icons/file-plus';
import { IconButton } from '../ui/icon-button.tsx';
import { EditorPane } from './editor-pane.tsx';
import { PanelButtons } from './rail.tsx';
import { useSource } from './source.ts';
import styles from './stage.module.css';
import { SymbolBar } from './symbol-bar.tsx';
import { tabId, TabStrip } from './tab-strip.tsx';
import type { Workspace } from './workspace.ts';

/** The open files: their tabs, and the editor of the one that is seen. */
export function CodeCell({ workspace }: { workspace: Workspace }) {
  const { active } = useSource(workspace.openFiles.tabs);
  const arrangement = useSource(workspace.arrangement);
  const hasPanel = arrangement.panel !== null;

  function nameNewFile(): void {
    workspace.arrangement.set({ ...arrangement, panel: 'files' });
    workspace.tree.naming.set({ kind: 'file', folder: '' });
  }

  return (
    <section className={styles.cell} aria-label="Code">
      <div className={styles.strip}>
        <div className={styles.phoneOnly}>
          <PanelButtons workspace={workspace} />
        </div>
        <TabStrip workspace={workspace} />
        {!hasPanel && (
          <IconButton label="New file" size="small" onClick={nameNewFile}>
            <FilePlus aria-hidden />
          </IconButton>
        )}
      </div>
      {active === undefined ? (
        <p className={styles.nothing}>No file is open. Choose one under Files.</p>
      ) : (
        <div id="open-file" role="tabpanel" aria-labelledby={tabId(active)} className={styles.fill}>
          <EditorPane workspace={workspace} path={active} />
        </div>
      )}
      <SymbolBar workspace={workspace} />
    </section>
  );
}
