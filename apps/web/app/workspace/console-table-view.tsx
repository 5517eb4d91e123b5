import type { ConsoleValue } from '@vitrine/sandbox/host';
import { ConsoleAtomView } from './console-atom.tsx';
import { ConsoleHead } from './console-head.tsx';
import { readTable } from './console-table.ts';
import styles from './console-value.module.css';

/** `console.table`: a row for each member of what was given, a column for each name in these. */
export function ConsoleTable({ table }: { table: NonNullable<ReturnType<typeof readTable>> }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
    <div className={styles.scroll} role="region" aria-label="Table" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{table.indexName}</th>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ index, cells }, at) => (
            // A table never changes, so a row's place in it is its identity.
            <tr key={at}>
              <th scope="row">{index}</th>
              {table.columns.map((column) => (
                <Cell key={column} value={cells.get(column)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.left > 0 && (
        <p className={styles.note}>{table.left.toLocaleString('en')} more rows are not shown.</p>
      )}
    </div>
  );
}

function Cell({ value }: { value: ConsoleValue | undefined }) {
  if (!value) return <td />;
  return (
    <td>
      {'members' in value ? <ConsoleHead value={value} /> : <ConsoleAtomView value={value} />}
    </td>
  );
}
