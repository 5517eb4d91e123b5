import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import CircleX from 'lucide-react/icons/circle-x';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ConsoleValue } from '@vitrine/sandbox/host';
import { Fragment, memo, type ClipboardEvent, type ReactNode } from 'react';
import { useConsoleActions } from './console-context.ts';
import type { ConsoleRow, LogLevel } from './console-log.ts';
import { parseConsoleTable } from './console-table.ts';
import { ConsoleTable } from './console-table-view.tsx';
import { formatEntry } from './console-format.ts';
import { ConsoleValueView, isExpandable } from './console-value.tsx';
import styles from './console-row.module.css';
import { SourceLink } from '../problems/source-link.tsx';

interface RowProps extends ConsoleRow {
  showsTime: boolean;
  /** Expands or collapses the group that starts with this entry. */
  onToggle: (id: number) => void;
}

/** A log entry: its values, repeat count and source. Only the count of an entry ever changes. */
export const ConsoleRowView = memo(function ConsoleRowView(props: RowProps) {
  const { line, level, depth, isOpen, showsTime, onToggle } = props;
  const { goTo } = useConsoleActions();
  if (line.method === 'reload') return <Divider time={line.time} />;
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-expanded={isOpen}
      className={styles.row}
      data-level={level}
      data-method={line.method}
      style={depth > 0 ? { paddingInlineStart: 12 + depth * 16 } : undefined}
      onCopy={(event) => copyLine(event, line)}
    >
      {showsTime && <time className={styles.time}>{formatTime(line.time)}</time>}
      <EntryIcon level={level} row={props} />
      <div
        className={styles.values}
        {...(isOpen !== undefined && { 'data-toggle': '', onClick: () => onToggle(line.id) })}
      >
        {line.count > 1 && (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a count that screen readers announce as text
          <span className={styles.count} role="img" aria-label={`${line.count} times`}>
            {line.count.toLocaleString('en')}
          </span>
        )}
        <Values row={props} />
      </div>
      {line.realm !== undefined && <span className={styles.realm}>{line.realm}</span>}
      <SourceLink location={line} onGoTo={goTo} isAct />
    </div>
  );
});

function Values({ row: { line, level } }: { row: ConsoleRow }) {
  if (line.method === 'clear') return 'Console was cleared';
  const [first, second] = line.values;
  const table = line.method === 'table' && first ? parseConsoleTable(first, second) : undefined;
  if (table && first)
    return (
      <>
        <ConsoleTable table={table} />
        {(table.hiddenRows > 0 || table.hasHiddenColumns) && (
          <TreeGroup isItem={isExpandable(first)}>
            <ConsoleValueView value={first} document={line.document} />
          </TreeGroup>
        )}
      </>
    );
  return line.values.map((value, index) => (
    // The entry's values never change, so the index is a stable key.
    <Fragment key={index}>
      {needsSpace(line.values[index - 1], value) && ' '}
      <TreeGroup isItem={isExpandable(value)}>
        <ConsoleValueView
          value={value}
          document={line.document}
          isPlain={line.method !== 'result'}
          isOpen={level === 'error' && value.type === 'error'}
        />
      </TreeGroup>
    </Fragment>
  ));
}

/** Wraps tree items in a group, as ARIA requires. Other values belong to the entry's own name. */
function TreeGroup({ isItem, children }: { isItem: boolean; children: ReactNode }) {
  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a group of tree items
  return isItem ? <span role="group">{children}</span> : children;
}

/** Parts of one format string are joined without a space, whatever their style. */
function needsSpace(before: ConsoleValue | undefined, value: ConsoleValue): boolean {
  return before !== undefined && !(before.type === 'text' && value.type === 'text');
}

/** Icon for the kind of entry. */
function EntryIcon({ level, row: { line, isOpen } }: { level: LogLevel; row: ConsoleRow }) {
  if (isOpen !== undefined)
    return <ChevronRight aria-hidden className={styles.sign} data-open={isOpen || undefined} />;
  if (level === 'error') return <CircleX aria-label="Error" className={styles.sign} />;
  if (level === 'warning') return <TriangleAlert aria-label="Warning" className={styles.sign} />;
  if (line.method === 'input') return <ChevronRight aria-label="Input" className={styles.sign} />;
  if (line.method === 'result') return <ChevronLeft aria-label="Result" className={styles.sign} />;
  return <span className={styles.sign} />;
}

function Divider({ time }: { time: number }) {
  return (
    <div role="treeitem" tabIndex={-1} className={styles.divider}>
      Restarted at {formatTime(time)}
    </div>
  );
}

/** "14:05:09", on a 24-hour clock. */
function formatTime(time: number): string {
  return new Date(time).toLocaleTimeString('en-US', { hourCycle: 'h23' });
}

/** Copies the focused entry when nothing is selected. */
function copyLine(event: ClipboardEvent, line: ConsoleRow['line']): void {
  if (getSelection()?.isCollapsed === false) return;
  event.clipboardData.setData('text/plain', formatEntry(line));
  event.preventDefault();
}
