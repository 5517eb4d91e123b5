import FilePlus from 'lucide-react/icons/file-plus';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { FileEditorView, type FileEditorViewProps } from './file-editor-view.tsx';
import { editorPanelId, tabId } from './file-tab.tsx';
import type { EditorGroupIndex } from './open-files.ts';
import { MobilePanelButtons } from '../layout/activity-bar.tsx';
import { useStore } from '../value-store.ts';
import styles from '../layout/workspace-grid.module.css';
import { MobileKeyBar } from '../layout/mobile-key-bar.tsx';
import type { LayoutController } from '../layout/layout-controller.ts';
import { TabStrip } from './tab-strip.tsx';
import { TabsMenu } from './tabs-menu.tsx';

interface EditorGroupProps extends Omit<FileEditorViewProps, 'tab'> {
  layout: LayoutController;
  group?: EditorGroupIndex;
}

/** Editor group: its tabs and the editor of the active one. */
export function EditorGroup({ layout, group = 0, ...editor }: EditorGroupProps) {
  const { openFiles, tree } = editor;
  const { active } = useStore(openFiles.groups[group]);
  const hasPanel = useStore(layout.current).panel !== null;
  const isFirst = group === 0;
  const cell = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = cell.current;
    const enter = () => openFiles.focusGroup(group);
    element?.addEventListener('focusin', enter);
    return () => element?.removeEventListener('focusin', enter);
  }, [openFiles, group]);

  function startNewFile(): void {
    layout.showSidebar('files');
    tree.naming.set({ kind: 'file', folder: '' });
  }

  return (
    <section className={styles.cell} aria-label={isFirst ? 'Code' : 'Code, group 2'} ref={cell}>
      <div className={styles.strip}>
        {isFirst && (
          <div className={styles.phoneOnly}>
            <MobilePanelButtons layout={layout} />
          </div>
        )}
        <TabStrip openFiles={openFiles} group={group} />
        {isFirst && !hasPanel && (
          <IconButton label="New file" size="small" onClick={startNewFile}>
            <FilePlus aria-hidden />
          </IconButton>
        )}
        {/* On a phone, a long press on a tab opens it. */}
        <div className={styles.desktopOnly}>
          <TabsMenu openFiles={openFiles} group={group} />
        </div>
      </div>
      {active === undefined ? (
        <p className={styles.nothing}>No file open. Select one in Files.</p>
      ) : (
        <div
          id={editorPanelId(group)}
          role="tabpanel"
          aria-labelledby={tabId(active, group)}
          className={styles.fill}
        >
          <FileEditorView {...editor} tab={active} group={group} />
        </div>
      )}
      {isFirst && <MobileKeyBar openFiles={openFiles} />}
    </section>
  );
}
