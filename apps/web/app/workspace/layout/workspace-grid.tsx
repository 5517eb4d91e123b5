import type { ReactNode } from 'react';
import { Cell, Grid, Gridline, type GridLayout } from 'react-resizable-panels';
import { withSizes } from './workspace-layout.ts';
import { EditorGroup } from '../tabs/editor-group.tsx';
import { ColumnCell } from './column-cell.tsx';
import { BottomPanel } from './bottom-panel.tsx';
import { computeGrid, findStoredSizes, type CellName } from './grid-plan.ts';
import { PreviewCell } from '../preview/preview-cell.tsx';
import { sidebarPanels } from './panels.tsx';
import { useStore } from '../value-store.ts';
import styles from './workspace-grid.module.css';
import type { Workspace } from '../workspace.ts';

/** Grid of editors, preview, sidebar and bottom panel, with dividers. */
export function WorkspaceGrid({ workspace }: { workspace: Workspace }) {
  const { layout: controller, openFiles, preferences, session, tree } = workspace;
  const editor = { openFiles, preferences, session, tree };
  const workspaceLayout = useStore(controller.current);
  const panel = sidebarPanels.find(({ name }) => name === workspaceLayout.panel);
  const isSplit = useStore(openFiles.isSplit);
  const plan = computeGrid(workspaceLayout, isSplit);
  const sizes = findStoredSizes(workspaceLayout, plan, isSplit);

  function remember(layout: GridLayout): void {
    controller.current.set(withSizes(controller.current.get(), layout, isSplit));
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
      {cell('panel', panel?.render(workspace))}
      {cell('code', <EditorGroup {...editor} layout={controller} />)}
      {cell('second', <EditorGroup {...editor} layout={controller} group={1} />)}
      {cell('html', <ColumnCell {...editor} name="html" />)}
      {cell('css', <ColumnCell {...editor} name="css" />)}
      {cell('js', <ColumnCell {...editor} name="js" />)}
      {/* Always mounted, even if hidden: unmounting would reload the project. */}
      <Cell
        key="result"
        id="cell-result"
        className={styles.result}
        hidden={!plan.cells.result}
        {...(plan.cells.result ?? { column: 0, row: 0 })}
      >
        <PreviewCell workspace={workspace} />
      </Cell>
      {cell('dock', <BottomPanel workspace={workspace} />)}
      {/* `Gridline` has no prop for the accessible name. */}
      {plan.dividers.map((line) => (
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
