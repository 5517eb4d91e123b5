import { useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { findColumnFile, type ColumnName } from './columns.ts';
import { FileEditorView } from '../tabs/file-editor-view.tsx';
import { createFileTab } from '../tabs/tabs.ts';
import { useStore } from '../value-store.ts';
import styles from './workspace-grid.module.css';
import type { Workspace } from '../workspace.ts';

const titles: Readonly<Record<ColumnName, string>> = { html: 'HTML', css: 'CSS', js: 'JS' };

/** One of the three columns: the editor of its file. */
export function ColumnCell({ workspace, name }: { workspace: Workspace; name: ColumnName }) {
  const paths = useStore(workspace.paths);
  const path = findColumnFile(name, paths);
  const tab = useMemo(() => createFileTab(path), [path]);
  const exists = paths.includes(path);
  return (
    <section className={styles.cell} aria-label={titles[name]}>
      <div className={styles.strip}>
        <h2 className={styles.columnTitle}>{titles[name]}</h2>
        <span className={styles.columnPath}>{path}</span>
      </div>
      {exists ? (
        <div className={styles.fill}>
          <FileEditorView workspace={workspace} tab={tab} />
        </div>
      ) : (
        <div className={styles.nothing}>
          <p>{path} doesn’t exist yet.</p>
          <Button size="small" onClick={() => workspace.createFile(path)}>
            Create {path}
          </Button>
        </div>
      )}
    </section>
  );
}
