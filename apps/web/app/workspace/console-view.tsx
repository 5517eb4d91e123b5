import Ban from 'lucide-react/icons/ban';
import { useLayoutEffect, useRef } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { ConsoleRowView } from './console-row.tsx';
import styles from './console-view.module.css';
import { consoleRows, type ConsoleFilter } from './console-log.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

const filters: readonly { value: ConsoleFilter; label: string }[] = [
  { value: 'all', label: 'All levels' },
  { value: 'error', label: 'Errors' },
  { value: 'warning', label: 'Warnings' },
  { value: 'info', label: 'Info' },
  { value: 'log', label: 'Log' },
];

/** What the result says to its console; it stays at the newest entry until it is scrolled up. */
export function ConsoleView({ workspace }: { workspace: Workspace }) {
  const log = useSource(workspace.result.console);
  const filter = useSource(workspace.consoleFilter);
  const rows = consoleRows(log.lines, filter);
  const list = useFollowing();

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
    <div ref={list} role="log" aria-label="Console" tabIndex={0} className={styles.log}>
      {log.dropped > 0 && <p className={styles.note}>{droppedWords(log.dropped)}</p>}
      {rows.map((row) => (
        <ConsoleRowView key={row.line.id} row={row} onGoTo={workspace.goTo} />
      ))}
      {rows.length === 0 && (
        <p className={styles.note}>
          {log.lines.length === 0
            ? 'Nothing yet. console.log(…) in a script shows up here.'
            : 'Nothing of this level.'}
        </p>
      )}
    </div>
  );
}

/** At the end of the dock's line while the console is seen. */
export function ConsoleActions({ workspace }: { workspace: Workspace }) {
  const filter = useSource(workspace.consoleFilter);
  return (
    <>
      <Select
        label="Level"
        labelHidden
        size="small"
        value={filter}
        options={filters}
        onChange={(value) => workspace.consoleFilter.set(value)}
      />
      <IconButton
        label="Clear console"
        size="small"
        onClick={() => workspace.result.clearConsole()}
      >
        <Ban aria-hidden />
      </IconButton>
    </>
  );
}

function droppedWords(count: number): string {
  return count === 1
    ? '1 entry is not shown.'
    : `${count.toLocaleString('en')} entries are not shown.`;
}

/** Scrolls to the end with each new entry, unless the person has scrolled away from it. */
function useFollowing() {
  const list = useRef<HTMLDivElement>(null);
  const nearEnd = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const watch = () => {
      nearEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    };
    element.addEventListener('scroll', watch, { passive: true });
    return () => element.removeEventListener('scroll', watch);
  }, []);
  useLayoutEffect(() => {
    if (nearEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  });
  return list;
}
