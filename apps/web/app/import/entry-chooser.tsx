import { limits } from '@vitrine/project';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useState, type ReactNode } from 'react';
import { formatSize } from '../ui/format-size.ts';
import { ScrollList } from '../ui/lists/scroll-list.tsx';
import { isWithin, listFolders } from '../workspace/tree/file-paths.ts';
import { listTreeRows, type TreeRow } from '../workspace/tree/file-tree.ts';
import styles from './entry-chooser.module.css';
import type { ImportTooLarge } from './imported-project.ts';

/** Rows of the tree that are shown. A folder may have thousands of files. */
const maxRows = 500;

interface EntryChooserProps {
  entries: ImportTooLarge['entries'];
  /** Creates the buttons to go on. Without files, or with too many, there is nothing to go on with. */
  children: (chosen: ReadonlySet<string> | undefined) => ReactNode;
}

/** Chooses folders and files of an import that is too large for a project. */
export function EntryChooser({ entries, children }: EntryChooserProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const paths = entries.map(({ path }) => path);
  const collapsed = [...listFolders(paths)].filter((folder) => !expanded.has(folder));
  const rows = listTreeRows(paths, new Set(collapsed));
  const size = entries.reduce((sum, entry) => sum + (chosen.has(entry.path) ? entry.size : 0), 0);
  const isAccepted = chosen.size > 0 && chosen.size <= limits.projectMaxFiles;

  function choose(inside: readonly string[], isChosen: boolean): void {
    const next = new Set(chosen);
    for (const path of inside)
      if (isChosen) next.add(path);
      else next.delete(path);
    setChosen(next);
  }

  function toggle(folder: string): void {
    const next = new Set(expanded);
    if (!next.delete(folder)) next.add(folder);
    setExpanded(next);
  }

  return (
    <>
      <ScrollList label="Choose files">
        {rows.slice(0, maxRows).map((row) => {
          const inside =
            row.kind === 'file' ? [row.path] : paths.filter((path) => isWithin(path, row.path));
          const count = inside.filter((path) => chosen.has(path)).length;
          return (
            <li key={row.path}>
              <EntryRow
                row={row}
                note={row.kind === 'folder' ? formatCount(inside.length) : ''}
                state={count === 0 ? 'none' : count === inside.length ? 'all' : 'some'}
                onChoose={(isChosen) => choose(inside, isChosen)}
                onToggle={() => toggle(row.path)}
              />
            </li>
          );
        })}
        {rows.length > maxRows && <li>and {(rows.length - maxRows).toLocaleString('en')} more</li>}
      </ScrollList>
      <output
        className={styles.count}
        data-exceeded={chosen.size > limits.projectMaxFiles || undefined}
      >
        {formatCount(chosen.size)} of up to {limits.projectMaxFiles.toLocaleString('en')} chosen,{' '}
        {formatSize(size)}
      </output>
      {children(isAccepted ? chosen : undefined)}
    </>
  );
}

interface EntryRowProps {
  row: TreeRow;
  note: string;
  /** How much of the row is chosen. */
  state: 'none' | 'some' | 'all';
  onChoose: (isChosen: boolean) => void;
  onToggle: () => void;
}

function EntryRow({ row, note, state, onChoose, onToggle }: EntryRowProps) {
  return (
    <div className={styles.row} style={{ paddingInlineStart: (row.level - 1) * 16 }}>
      {row.kind === 'folder' ? (
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={row.expanded}
          aria-label={`Files in ${row.path}`}
          onClick={onToggle}
        >
          <ChevronRight aria-hidden />
        </button>
      ) : (
        <span className={styles.toggle} />
      )}
      <label className={styles.label}>
        <input
          type="checkbox"
          aria-label={row.path}
          checked={state === 'all'}
          ref={(box) => {
            if (box) box.indeterminate = state === 'some';
          }}
          onChange={({ target }) => onChoose(target.checked)}
        />
        <span className={styles.name}>{row.name}</span>
        <span className={styles.note}>{note}</span>
      </label>
    </div>
  );
}

function formatCount(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}
