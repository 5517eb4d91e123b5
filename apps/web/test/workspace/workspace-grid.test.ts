import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatLayoutCookie,
  parseLayoutCookie,
  parseStoredTabs,
  initialLayout,
  layoutNames,
  withSizes,
  type WorkspaceLayout,
} from '../../app/workspace/layout/workspace-layout.ts';
import { createFileTab, createTabs } from '../../app/workspace/tabs/tabs.ts';
import {
  computeGrid,
  findStoredSizes,
  type GridArea,
} from '../../app/workspace/layout/grid-plan.ts';

const arrangements = fc.record({
  layout: fc.constantFrom(...layoutNames),
  panel: fc.constantFrom('files' as const, 'packages' as const, null),
  dock: fc.constantFrom('console' as const, 'problems' as const, null),
  sizes: fc.constant({}),
});

describe('a workspace’s grid', () => {
  test('covers each layout with cells without gaps or overlaps', () => {
    fc.assert(
      fc.property(arrangements, fc.boolean(), (arrangement, isSplit) => {
        const plan = computeGrid(arrangement, isSplit);
        const squares = Object.values(plan.cells).flatMap(squaresOf);
        expect(new Set(squares).size).toBe(squares.length);
        expect(squares.length).toBe(plan.columns.length * plan.rows.length);
      }),
    );
  });

  test('has no divider that crosses a cell', () => {
    fc.assert(
      fc.property(arrangements, fc.boolean(), (arrangement, isSplit) => {
        const plan = computeGrid(arrangement, isSplit);
        for (const line of plan.dividers) {
          for (let step = 0; step < line.span; step += 1) {
            const [column, row] =
              line.type === 'column'
                ? [line.column, line.row + step]
                : [line.column + step, line.row];
            const [beforeColumn, beforeRow] =
              line.type === 'column' ? [column - 1, row] : [column, row - 1];
            const at = cellAt(plan.cells, column, row);
            expect(at).toBeDefined();
            expect(at).not.toBe(cellAt(plan.cells, beforeColumn, beforeRow));
          }
        }
      }),
    );
  });
});

describe('a workspace layout', () => {
  test('is restored from its cookie with its sizes', () => {
    const plain: WorkspaceLayout = { ...initialLayout, dock: 'console' };
    const sized = withSizes(plain, {
      columns: { 'side-code': 61.26, 'side-result': 38.74 },
      rows: { 'side-0': 70, dock: 30 },
    });
    const [pair = ''] = formatLayoutCookie(sized, 'a1b2c3d4-e5').split(';');
    const found = parseLayoutCookie(`other=1; ${pair}`, 'a1b2c3d4-e5');
    expect(found).toEqual(sized);
    expect(findStoredSizes(found, computeGrid(found))?.columns).toEqual({
      'side-code': 61.3,
      'side-result': 38.7,
    });
  });

  test('includes the tabs of the last project, unless they are too long for a cookie', () => {
    const b = createFileTab('b.js');
    const tabs = { open: [createFileTab('a.js'), b], active: b, preview: b, pinned: 1 };
    const last = { project: 'p1', sides: [tabs, tabs] };
    const read = (arrangement: WorkspaceLayout) =>
      parseLayoutCookie(formatLayoutCookie(arrangement, null).split(';')[0] ?? '', null);
    expect(read({ ...initialLayout, last }).last).toEqual(last);
    const long = { ...tabs, open: [createFileTab('x'.repeat(3_000))] };
    const cut = read({ ...initialLayout, layout: 'code', last: { ...last, sides: [long] } });
    expect(cut).toEqual({ ...initialLayout, layout: 'code' });
  });

  test('keeps only the valid part of forged tabs', () => {
    expect(parseStoredTabs({ project: 'p', sides: [] })?.sides).toEqual([]);
    expect(parseStoredTabs({ sides: [] })).toBeUndefined();
    expect(parseStoredTabs({ project: 'p', sides: [{ open: ['a'] }, 3] })?.sides).toEqual([
      createTabs([createFileTab('a')]),
    ]);
  });

  test('is stored per user', () => {
    const [pair = ''] = formatLayoutCookie({ ...initialLayout, layout: 'code' }, 'aaaa').split(';');
    expect(parseLayoutCookie(pair, null).layout).toBe('side');
    expect(parseLayoutCookie(pair, 'bbbb').layout).toBe('side');
  });

  test('parses any forged cookie as a valid layout', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(encodeURIComponent)), (value) => {
        const found = parseLayoutCookie(`arrangement-guest=${value.replaceAll(';', '')}`, null);
        const plan = computeGrid(found);
        expect(findStoredSizes(found, plan) ?? {}).toBeTypeOf('object');
      }),
    );
  });

  test('ignores sizes that do not fit the visible panels', () => {
    const odd = withSizes(initialLayout, { columns: { panel: 100 }, rows: { 'side-0': 100 } });
    expect(findStoredSizes(odd, computeGrid(odd))).toBeUndefined();
  });
});

function squaresOf(area: GridArea): string[] {
  const squares: string[] = [];
  for (let row = area.row; row < area.row + area.rowSpan; row += 1) {
    for (let column = area.column; column < area.column + area.columnSpan; column += 1) {
      squares.push(`${column},${row}`);
    }
  }
  return squares;
}

function cellAt(cells: Readonly<Record<string, GridArea>>, column: number, row: number) {
  return Object.entries(cells).find(([, area]) =>
    squaresOf(area).includes(`${column},${row}`),
  )?.[0];
}
