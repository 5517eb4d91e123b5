import type { ReactNode } from 'react';
import { Cell, Grid, Gridline, type GridLayout } from 'react-resizable-panels';
import { PackagesPanel } from '../packages/packages-panel.tsx';
import { withSizes, type PanelName } from './arrangement.ts';
import { CodeCell } from './code-cell.tsx';
import { ColumnCell } from './column-cell.tsx';
import { Dock } from './dock.tsx';
import { FilesPanel } from './files-panel.tsx';
import { planGrid, rememberedSizes, type CellName } from './grid-plan.ts';
import { ResultCell } from './result-cell.tsx';
import { SearchPanel } from './search-panel.tsx';
import { useSource } from './source.ts';
import styles from './stage.module.css';
import type { Workspace } from './workspace.ts';

/** Grid of editors, preview, sidebar and bottom panel, with dividers. */
export function Stage({ workspace }: { workspace: Workspace }) {
  const arrangement = useSource(workspace.arrangement);
  const isSplit = useSource(workspace.openFiles.isSplit);
  const plan = planGrid(arrangement, isSplit);
  const sizes = rememberedSizes(arrangement, plan, isSplit);

  function remember(layout: GridLayout): void {
    const now = workspace.arrangement.get();
    workspace.arrangement.set(withSizes(now, layout, isSplit));
  }

  const cell = (name: CellName, content: ReactNode) => {
    const area = plan.cells[name];
    return (
      area && (
        <Cell key={name} id={`cell-${name}`} className={styles[name]} {...area}>
          {content}
        </Cell>
      )
    );
  };

  return (
    <Grid
      id="stage"
      className={styles.stage}
      columns={[...plan.columns]}
      rows={[...plan.rows]}
      {...(sizes && { defaultLayout: sizes })}
      onLayoutChanged={(layout, { isUserInteraction }) => isUserInteraction && remember(layout)}
    >
      {cell(
        'panel',
        arrangement.panel && <OpenPanel name={arrangement.panel} workspace={workspace} />,
      )}
      {cell('code', <CodeCell workspace={workspace} />)}
      {cell('second', <CodeCell workspace={workspace} group={1} />)}
      {cell('html', <ColumnCell workspace={workspace} name="html" />)}
      {cell('css', <ColumnCell workspace={workspace} name="css" />)}
      {cell('js', <ColumnCell workspace={workspace} name="js" />)}
      {/* Always mounted, even if hidden: unmounting would reload the project. */}
      <Cell
        key="result"
        id="cell-result"
        className={styles.result}
        hidden={!plan.cells.result}
        {...(plan.cells.result ?? { column: 0, row: 0 })}
      >
        <ResultCell workspace={workspace} />
      </Cell>
      {cell('dock', <Dock workspace={workspace} />)}
      {/* `Gridline` has no prop for the accessible name. */}
      {plan.lines.map((line) => (
        <Gridline
          key={line.name}
          {...(line.type === 'column'
            ? { type: 'column' as const, column: line.column, row: line.row, rowSpan: line.span }
            : { type: 'row' as const, row: line.row, column: line.column, columnSpan: line.span })}
          elementRef={(element) => element?.setAttribute('aria-label', line.name)}
          className={styles.line}
        />
      ))}
    </Grid>
  );
}

function OpenPanel({ name, workspace }: { name: PanelName; workspace: Workspace }) {
  switch (name) {
    case 'files':
      return <FilesPanel workspace={workspace} />;
    case 'search':
      return <SearchPanel workspace={workspace} />;
    case 'packages':
      return <PackagesPanel workspace={workspace} />;
  }
}
