import { useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { findColumnFile, type ColumnName } from './columns.ts';
import { FileEditorView, type FileEditorViewProps } from '../tabs/file-editor-view.tsx';
import { createFileTab } from '../tabs/tabs.ts';
import { useStore } from '../value-store.ts';
import styles from './workspace-grid.module.css';

const titles: Readonly<Record<ColumnName, string>> = { html: 'HTML', css: 'CSS', js: 'JS' };

interface ColumnCellProps extends Omit<FileEditorViewProps, 'tab' | 'group'> {
  name: ColumnName;
}

/** One of the three columns: the editor of its file. */
export function ColumnCell({ name, ...editor }: ColumnCellProps) {
  const paths = useStore(editor.session.paths);
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
          <FileEditorView {...editor} tab={tab} />
        </div>
      ) : (
        <div className={styles.nothing}>
          <p>{path} doesn’t exist yet.</p>
          <Button size="small" onClick={() => editor.tree.createFile(path)}>
            Create {path}
          </Button>
        </div>
      )}
    </section>
  );
}
