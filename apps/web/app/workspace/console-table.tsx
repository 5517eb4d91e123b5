import type { ConsoleValue } from './console-log.ts';
import { ConsoleValueView } from './console-value.tsx';
import styles from './console-value.module.css';

type Cells = ReadonlyMap<string, ConsoleValue>;

/** `console.table`: rows of objects or arrays; anything else is shown as `console.log` shows it. */
export function ConsoleTable({ value }: { value: ConsoleValue }) {
  const rows = rowsOf(value);
  if (rows.length === 0) return <ConsoleValueView value={value} />;
  const columns = [...new Set(rows.flatMap(([, cells]) => [...cells.keys()]))];
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">index</th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, cells]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {columns.map((column) => (
              <Cell key={column} value={cells.get(column)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ value }: { value: ConsoleValue | undefined }) {
  return <td>{value && <ConsoleValueView value={value} />}</td>;
}

function rowsOf(value: ConsoleValue): [string, Cells][] {
  return membersOf(value).map(([name, row]) => {
    const cells = membersOf(row);
    return [name, cells.length > 0 ? new Map(cells) : new Map([['value', row]])];
  });
}

function membersOf(value: ConsoleValue): [string, ConsoleValue][] {
  if (value.type === 'object') return value.properties;
  if (value.type === 'array') return value.items.map((item, index) => [String(index), item]);
  return [];
}
