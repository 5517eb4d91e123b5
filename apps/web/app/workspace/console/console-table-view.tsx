import type { ConsoleValue } from '@vitrine/sandbox/host';
import { ConsolePrimitiveView } from './console-primitive.tsx';
import { ObjectSummary } from './console-object-summary.tsx';
import type { ConsoleTableData } from './console-table.ts';
import styles from './console-value.module.css';

/** `console.table`: a row per member, a column per property of the members. */
export function ConsoleTable({ table }: { table: ConsoleTableData }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable, so the keyboard must reach it
    <section className={styles.scroll} aria-label="Table" tabIndex={0}>
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
            // The table never changes, so the index is a stable key.
            <tr key={at}>
              <th scope="row">{index}</th>
              {table.columns.map((column) => (
                <Cell key={column} value={cells.get(column)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.hiddenRows > 0 && (
        <p className={styles.note}>
          {table.hiddenRows.toLocaleString('en')} more {table.hiddenRows === 1 ? 'row' : 'rows'} not
          shown
        </p>
      )}
      {table.hasHiddenColumns && <p className={styles.note}>More columns not shown</p>}
    </section>
  );
}

function Cell({ value }: { value: ConsoleValue | undefined }) {
  return <td>{value && <CellValue value={value} />}</td>;
}

function CellValue({ value }: { value: ConsoleValue }) {
  return 'members' in value ? (
    <ObjectSummary value={value} />
  ) : (
    <ConsolePrimitiveView value={value} />
  );
}
