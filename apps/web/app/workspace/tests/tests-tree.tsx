import ChevronRight from 'lucide-react/icons/chevron-right';
import { useState, type KeyboardEvent } from 'react';
import { findTreeMove } from '../tree/file-tree.ts';
import { RowElements } from '../tree/row-elements.ts';
import { formatTestDuration, type TestRow } from './test-rows.ts';
import { TestStateIcon } from './test-state-icon.tsx';
import styles from './tests-view.module.css';

interface TestsTreeProps {
  rows: readonly TestRow[];
  /** Path of the selected row. */
  selected: string | undefined;
  onSelect: (path: string) => void;
  onToggle: (path: string) => void;
  onGoTo: (row: TestRow) => void;
}

/** The tree "Tests", with the keyboard pattern of WAI-ARIA. Enter goes to the line. */
export function TestsTree({ rows, selected, onSelect, onToggle, onGoTo }: TestsTreeProps) {
  const [elements] = useState(() => new RowElements());
  const focusable = rows.some(({ path }) => path === selected) ? selected : rows[0]?.path;

  function focus(path: string): void {
    onSelect(path);
    elements.focus(path);
  }

  function handleKey(event: KeyboardEvent, row: TestRow): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = findTreeMove(rows, row.path, event.key);
    if (event.key === 'Enter') onGoTo(row);
    else if (event.key === ' ' && row.kind === 'folder') onToggle(row.path);
    else if (move && 'to' in move) focus(move.to);
    else if (move) onToggle(row.path);
    else return;
    event.preventDefault();
  }

  return (
    <div role="tree" aria-label="Tests" className={styles.tree}>
      {rows.map((row) => (
        <div
          key={row.path}
          ref={(element) => (element ? elements.add(row.path, element) : undefined)}
          role="treeitem"
          aria-level={row.level}
          aria-posinset={row.position}
          aria-setsize={row.siblings}
          aria-expanded={row.kind === 'folder' ? row.expanded : undefined}
          aria-selected={row.path === selected}
          tabIndex={row.path === focusable ? 0 : -1}
          data-state={row.state}
          className={styles.row}
          style={{ paddingInlineStart: row.level * 12 - 4 }}
          onClick={() => focus(row.path)}
          onDoubleClick={() => onGoTo(row)}
          onKeyDown={(event) => handleKey(event, row)}
        >
          <ToggleIcon row={row} onToggle={onToggle} />
          <TestStateIcon state={row.state} />
          <span className={styles.name}>{row.name}</span>
          <span className={styles.duration}>{formatTestDuration(row.durationMs)}</span>
        </div>
      ))}
    </div>
  );
}

/** For the pointer. The keyboard uses arrow keys. */
function ToggleIcon({ row, onToggle }: { row: TestRow; onToggle: (path: string) => void }) {
  if (row.kind === 'file') return <span className={styles.toggle} />;
  return (
    <span
      aria-hidden
      className={styles.toggle}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(row.path);
      }}
    >
      <ChevronRight data-open={row.expanded || undefined} />
    </span>
  );
}
