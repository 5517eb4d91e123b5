import type { ConsoleMember, ConsoleObject, ConsoleValue } from '@vitrine/sandbox/host';

export interface ConsoleTableData {
  readonly indexName: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Number of rows left out. */
  readonly hiddenRows: number;
  /** True if columns were left out. */
  readonly hasHiddenColumns: boolean;
}

interface TableRow {
  readonly index: string;
  readonly cells: ReadonlyMap<string, ConsoleValue>;
}

const valueColumn = 'Value';

/**
 * Converts the argument of `console.table` to rows and columns. Members of the members become
 * columns; primitive members go into a column of their own. `columnFilter`, the second argument,
 * lists the columns to show. Returns undefined if the value isn't tabular.
 */
export function parseConsoleTable(
  value: ConsoleValue,
  columnFilter?: ConsoleValue,
): ConsoleTableData | undefined {
  if (!isTabular(value) || value.members.length === 0) return undefined;
  // The last members may have been sent without their own members.
  const read = ownMembers(value).filter(({ value: row }) => !isUnread(row));
  const rows = read.map((member) => readRow(member));
  const found = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const inOrder = [
    ...found.filter((name) => name !== valueColumn),
    ...found.filter((name) => name === valueColumn),
  ];
  const isMap = value.type === 'map';
  return {
    indexName: isMap || value.type === 'set' ? '(iteration index)' : '(index)',
    columns: columnFilter && 'members' in columnFilter ? namesIn(columnFilter) : inOrder,
    rows: isMap ? rows.map((row, index) => ({ ...row, index: String(index) })) : rows,
    hiddenRows: value.size - rows.length,
    hasHiddenColumns: read.some(
      ({ value: row }) => isTabular(row) && row.members.length < row.size,
    ),
  };
}

function readRow({ name, key, value }: ConsoleMember): TableRow {
  const cells = new Map<string, ConsoleValue>();
  if (key) cells.set('Key', key);
  if (isTabular(value) && !key)
    for (const member of ownMembers(value)) cells.set(member.name, member.value);
  else cells.set(valueColumn, value);
  return { index: name, cells };
}

function isUnread(value: ConsoleValue): boolean {
  return isTabular(value) && value.members.length === 0 && value.size > 0;
}

function isTabular(value: ConsoleValue): value is ConsoleObject {
  return ['object', 'array', 'map', 'set'].includes(value.type) && 'members' in value;
}

function ownMembers({ members }: ConsoleObject): ConsoleMember[] {
  return members.filter(({ isHidden }) => !isHidden);
}

function namesIn({ members }: ConsoleObject): string[] {
  return members.flatMap(({ value }) => ('text' in value ? [value.text] : []));
}
