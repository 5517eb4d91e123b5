import { useCallback, useMemo, useState, type ReactNode } from 'react';
import {
  listConsoleRows,
  emptyFilter,
  toggleInSet,
  type ConsoleFilter,
  type ConsoleLogSnapshot,
} from './console-log.ts';
import { ConsoleRowView } from './console-row.tsx';

interface ConsoleLinesProps {
  lines: ConsoleLogSnapshot['lines'];
  filter?: ConsoleFilter;
  showsTimes?: boolean;
  /** Shown when there are no entries. */
  empty?: ReactNode;
}

/** Log entries as a tree with collapsible groups. Needs a `ConsoleContext`. */
export function ConsoleEntries(props: ConsoleLinesProps) {
  const { lines, filter = emptyFilter, showsTimes = false, empty } = props;
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => listConsoleRows(lines, filter, toggled), [lines, filter, toggled]);
  const toggleGroup = useCallback(
    (id: number) => setToggled((before) => toggleInSet(before, id)),
    [],
  );
  if (rows.length === 0) return empty;
  return (
    <div role="tree" aria-label="Console entries">
      {rows.map((row) => (
        <ConsoleRowView key={row.line.id} {...row} showsTime={showsTimes} onToggle={toggleGroup} />
      ))}
    </div>
  );
}
