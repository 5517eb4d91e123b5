import type { ConsoleMember, ConsoleObject, ConsoleValue } from '@vitrine/sandbox/host';

export interface ConsoleTableData {
  readonly indexName: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Rows that are not here. */
  readonly left: number;
  /** Rows have cells that are not here. */
  readonly isCut: boolean;
}

interface TableRow {
  readonly index: string;
  readonly cells: ReadonlyMap<string, ConsoleValue>;
}

const values = 'Value';

/**
 * What `console.table` was given, as rows and columns: members of the members, and a column of its
 * own for what has none. `wanted`, its second argument, names the columns. Undefined for a value that is no table.
 */
export function readTable(
  value: ConsoleValue,
  wanted?: ConsoleValue,
): ConsoleTableData | undefined {
  if (!isTabular(value) || value.members.length === 0) return undefined;
  // Of the last ones there may be no more than that they are there.
  const read = ownMembers(value).filter(({ value: row }) => !isUnread(row));
  const rows = read.map((member) => readRow(member));
  const found = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const inOrder = [
    ...found.filter((name) => name !== values),
    ...found.filter((name) => name === values),
  ];
  const isMap = value.type === 'map';
  return {
    indexName: isMap || value.type === 'set' ? '(iteration index)' : '(index)',
    columns: wanted && 'members' in wanted ? namesIn(wanted) : inOrder,
    rows: isMap ? rows.map((row, index) => ({ ...row, index: String(index) })) : rows,
    left: value.size - rows.length,
    isCut: read.some(({ value: row }) => isTabular(row) && row.members.length < row.size),
  };
}

function readRow({ name, key, value }: ConsoleMember): TableRow {
  const cells = new Map<string, ConsoleValue>();
  if (key) cells.set('Key', key);
  if (isTabular(value) && !key)
    for (const member of ownMembers(value)) cells.set(member.name, member.value);
  else cells.set(values, value);
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
