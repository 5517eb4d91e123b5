import { getSizesKey, type WorkspaceLayout, type TrackSizes } from './workspace-layout.ts';

/*
 * Layouts of the workspace. All of them are one grid whose cells keep their identity, since a cell
 * that leaves the document would reload the preview's iframe.
 */

export type CellName = 'panel' | 'code' | 'second' | 'html' | 'css' | 'js' | 'result' | 'dock';

interface GridTrack {
  readonly id: string;
  readonly defaultSize?: string;
  readonly minSize: number;
  readonly groupResizeBehavior?: 'preserve-pixel-size';
}

/** A rectangle of tracks, 0-based. */
export interface GridArea {
  readonly column: number;
  readonly columnSpan: number;
  readonly row: number;
  readonly rowSpan: number;
}

/** A divider along the leading edge of a column or row. */
interface GridDivider {
  readonly type: 'column' | 'row';
  readonly column: number;
  readonly row: number;
  readonly span: number;
  readonly name: string;
}

interface GridPlan {
  readonly columns: readonly GridTrack[];
  readonly rows: readonly GridTrack[];
  readonly cells: Readonly<Partial<Record<CellName, GridArea>>>;
  readonly dividers: readonly GridDivider[];
}

type Name = Exclude<CellName, 'panel' | 'dock'>;

/** Rows of cells for each layout, from the top. A row with one cell spans all columns. */
const layouts: Readonly<Record<WorkspaceLayout['layout'], readonly (readonly Name[])[]>> = {
  side: [['code', 'result']],
  stacked: [['code'], ['result']],
  columns: [['html', 'css', 'js'], ['result']],
  code: [['code']],
  result: [['result']],
};

/** Tracks, cells and dividers for a layout. With a split editor there are two editor cells. */
export function computeGrid(workspaceLayout: WorkspaceLayout, isSplit = false): GridPlan {
  const plain = layouts[workspaceLayout.layout];
  const picture = isSplit ? plain.map(splitCode) : plain;
  const first = workspaceLayout.panel ? 1 : 0;
  const width = Math.max(...picture.map((row) => row.length));
  const height = picture.length + (workspaceLayout.dock ? 1 : 0);
  return {
    columns: columnTracks(workspaceLayout, picture),
    rows: rowTracks(workspaceLayout, picture),
    cells: {
      ...(workspaceLayout.panel && {
        panel: { column: 0, columnSpan: 1, row: 0, rowSpan: height },
      }),
      ...placeCells(picture, first, width),
      ...(workspaceLayout.dock && {
        dock: { column: first, columnSpan: width, row: height - 1, rowSpan: 1 },
      }),
    },
    dividers: placeDividers(picture, { first, width, height }),
  };
}

function splitCode(row: readonly Name[]): Name[] {
  return row.flatMap((name) => (name === 'code' ? [name, 'second' as const] : [name]));
}

/** Stored sizes of a layout, if they fit its tracks. */
export function findStoredSizes(
  workspaceLayout: WorkspaceLayout,
  plan: GridPlan,
  isSplit = false,
): TrackSizes | undefined {
  const sizes = workspaceLayout.sizes[getSizesKey(workspaceLayout, isSplit)];
  if (!sizes) return undefined;
  const fits = (tracks: readonly GridTrack[], axis: TrackSizes['columns']) =>
    tracks.length === Object.keys(axis).length && tracks.every(({ id }) => id in axis);
  return fits(plan.columns, sizes.columns) && fits(plan.rows, sizes.rows) ? sizes : undefined;
}

// The track id includes the layout's name, so that a layout never starts with the sizes of another.
function columnTracks(
  workspaceLayout: WorkspaceLayout,
  picture: readonly (readonly Name[])[],
): GridTrack[] {
  const names = picture.find((row) => row.length > 1) ?? ['all'];
  const size = workspaceLayout.panel ? undefined : evenSize(names.length);
  const columns = names.map((name): GridTrack => ({
    id: `${workspaceLayout.layout}-${name}`,
    minSize: 180,
    ...size,
  }));
  const panel: GridTrack = {
    id: 'panel',
    defaultSize: '220px',
    minSize: 160,
    groupResizeBehavior: 'preserve-pixel-size',
  };
  return workspaceLayout.panel ? [panel, ...columns] : columns;
}

function rowTracks(
  workspaceLayout: WorkspaceLayout,
  picture: readonly (readonly Name[])[],
): GridTrack[] {
  const size = workspaceLayout.dock ? undefined : evenSize(picture.length);
  const rows = picture.map((_, row): GridTrack => ({
    id: `${workspaceLayout.layout}-${row}`,
    minSize: 96,
    ...size,
  }));
  const dock: GridTrack = {
    id: 'dock',
    defaultSize: '220px',
    minSize: 96,
    groupResizeBehavior: 'preserve-pixel-size',
  };
  return workspaceLayout.dock ? [...rows, dock] : rows;
}

/**
 * Size that a double click on a divider resets to. Undefined next to a track in pixels: a share of
 * the remaining space can't be expressed, and a share of the whole would render differently on the
 * server.
 */
function evenSize(count: number): Pick<GridTrack, 'defaultSize'> | undefined {
  return count > 1 ? { defaultSize: `${100 / count}%` } : undefined;
}

function placeCells(
  picture: readonly (readonly Name[])[],
  first: number,
  width: number,
): Partial<Record<Name, GridArea>> {
  const cells: Partial<Record<Name, GridArea>> = {};
  for (const [row, names] of picture.entries()) {
    for (const [index, name] of names.entries()) {
      const columnSpan = names.length === 1 ? width : 1;
      cells[name] = { column: first + index, columnSpan, row, rowSpan: 1 };
    }
  }
  return cells;
}

const cellLabels: Readonly<Record<Name, string>> = {
  code: 'editor',
  second: 'editor group 2',
  html: 'HTML',
  css: 'CSS',
  js: 'JavaScript',
  result: 'result',
};

function placeDividers(
  picture: readonly (readonly Name[])[],
  grid: { first: number; width: number; height: number },
): GridDivider[] {
  const lines: GridDivider[] = [];
  if (grid.first === 1) {
    lines.push({
      type: 'column',
      column: 1,
      row: 0,
      span: grid.height,
      name: 'Resize sidebar',
    });
  }
  for (const [row, names] of picture.entries()) {
    for (const [index, name] of names.slice(0, -1).entries()) {
      const column = grid.first + index + 1;
      lines.push({ type: 'column', column, row, span: 1, name: `Resize ${cellLabels[name]}` });
    }
  }
  for (let row = 1; row < grid.height; row += 1) {
    const name = row < picture.length ? 'Resize editor height' : 'Resize panel';
    lines.push({ type: 'row', column: grid.first, row, span: grid.width, name });
  }
  return lines;
}
