import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ConsoleRow, Level } from './console-log.ts';
import { ConsoleTable } from './console-table.tsx';
import { ConsoleValueView } from './console-value.tsx';
import styles from './console-view.module.css';
import { SourceLink, type GoTo } from './source-link.tsx';

/** One entry: its values, how often it came, and where from. */
export function ConsoleRowView({ row, onGoTo }: { row: ConsoleRow; onGoTo: GoTo }) {
  const { line, level, depth } = row;
  const { count } = line;
  const table = line.method === 'table' ? line.values[0] : undefined;
  return (
    <div
      className={styles.row}
      data-level={level}
      data-group={line.method.startsWith('group') || undefined}
      style={depth > 0 ? { paddingInlineStart: 12 + depth * 16 } : undefined}
    >
      <LevelIcon level={level} />
      <div className={styles.values}>
        {count > 1 && (
          <span className={styles.count} aria-label={`${count} times`}>
            {count}
          </span>
        )}
        {table ? (
          <ConsoleTable value={table} />
        ) : (
          line.values.map((value, index) => (
            // Entries never change, so a value's place is its identity.
            <ConsoleValueView key={index} value={value} plain={index === 0} />
          ))
        )}
      </div>
      <SourceLink place={line} onGoTo={onGoTo} />
    </div>
  );
}

function LevelIcon({ level }: { level: Level }) {
  if (level === 'error') return <CircleX aria-label="Error" className={styles.icon} />;
  if (level === 'warning') return <TriangleAlert aria-label="Warning" className={styles.icon} />;
  if (level === 'info') return <Info aria-label="Info" className={styles.icon} />;
  return <span className={styles.icon} />;
}
