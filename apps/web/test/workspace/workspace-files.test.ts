import { describe, expect, test } from 'vitest';
import {
  reserveFreePath,
  movedPath,
  moveFiles,
  outermost,
  resolveCollisions,
  planCopies,
  planMoves,
  listTakenKeys,
  type AskCollision,
  type CollisionChoice,
} from '../../app/workspace/tree/file-paths.ts';
import {
  findByTypeahead,
  isLockfile,
  findTreeMove,
  rowsBetween,
  listTreeRows,
} from '../../app/workspace/tree/file-tree.ts';
import {
  closeTab,
  createInitialTabs,
  keepTabOpen,
  moveTab,
  openTab,
  renameTab,
  getTabLabel,
  createTabs,
  tabsToClose,
  togglePin,
  type FileTabs,
} from '../../app/workspace/tabs/tabs.ts';

const tabs = (open: string, active: string, more: Partial<FileTabs> = {}): FileTabs => ({
  ...createTabs([...open]),
  active,
  ...more,
});

describe('tabs', () => {
  test('open with the three common files, the page first', () => {
    expect(createInitialTabs(['lib/a.js', 'script.js', 'index.html', 'style.css'])).toEqual(
      createTabs(['index.html', 'style.css', 'script.js']),
    );
    expect(createInitialTabs(['notes.md', 'z.md'])).toEqual(createTabs(['notes.md']));
    expect(createInitialTabs([]).active).toBeUndefined();
  });

  test('open with the root component if there is one', () => {
    const paths = ['App.tsx', 'index.html', 'main.tsx', 'package.json', 'style.css'];
    expect(createInitialTabs(paths)).toEqual(createTabs(['App.tsx', 'index.html', 'style.css']));
  });

  test('open a file next to the active one, and only once', () => {
    const three = openTab(tabs('ab', 'a'), 'c');
    expect(three).toEqual(tabs('acb', 'c'));
    expect(openTab(three, 'b')).toEqual(tabs('acb', 'b'));
  });

  test('reuse the transient tab for the next file', () => {
    const looking = openTab(tabs('ab', 'a'), 'c', true);
    expect(looking).toEqual(tabs('acb', 'c', { preview: 'c' }));
    const next = openTab(looking, 'd', true);
    expect(next).toEqual(tabs('adb', 'd', { preview: 'd' }));
    expect(openTab(next, 'b', true)).toEqual(tabs('adb', 'b', { preview: 'd' }));
    const kept = openTab(keepTabOpen(next, 'd'), 'e', true);
    expect(kept).toEqual(tabs('adeb', 'e', { preview: 'e' }));
    expect(openTab(kept, 'e').preview).toBeUndefined();
  });

  test('activate a neighbor when the active one is closed', () => {
    expect(closeTab(tabs('abc', 'b'), 'b').active).toBe('c');
    expect(closeTab(tabs('abc', 'c'), 'c').active).toBe('b');
    expect(closeTab(tabs('abc', 'b'), 'a')).toEqual(tabs('bc', 'b'));
    expect(closeTab(tabs('a', 'a'), 'a')).toEqual(createTabs([]));
  });

  test('close others, those to the right, or all, except pinned ones', () => {
    const three = tabs('abcd', 'b', { pinned: 1 });
    expect(tabsToClose(three, 'b', 'others')).toEqual(['c', 'd']);
    expect(tabsToClose(three, 'c', 'right')).toEqual(['d']);
    expect(tabsToClose(three, 'c', 'all')).toEqual(['b', 'c', 'd']);
    expect(tabsToClose(three, 'a', 'this')).toEqual(['a']);
    expect(closeTab(three, 'a').pinned).toBe(0);
  });

  test('come first while pinned, and move among pinned or unpinned ones', () => {
    const pinned = togglePin(togglePin(tabs('abcd', 'b'), 'c'), 'b');
    expect(pinned).toEqual(tabs('cbad', 'b', { pinned: 2 }));
    expect(togglePin(pinned, 'c')).toEqual(tabs('bcad', 'b', { pinned: 1 }));
    expect(moveTab(pinned, 'a', 0)).toBe(pinned);
    expect(moveTab(pinned, 'a', 9).open.join('')).toBe('cbda');
    expect(moveTab(pinned, 'c', 9).open.join('')).toBe('bcad');
    expect(openTab(tabs('abc', 'a', { pinned: 2 }), 'x').open.join('')).toBe('abxc');
  });

  test('follow a renamed file', () => {
    expect(renameTab(tabs('ab', 'b', { preview: 'b' }), 'b', 'lib/b')).toEqual({
      ...createTabs(['a', 'lib/b']),
      active: 'lib/b',
      preview: 'lib/b',
    });
  });

  test('show the folder only if two open files share a name', () => {
    expect(getTabLabel('lib/main.js', ['lib/main.js', 'main.js'])).toEqual({
      name: 'main.js',
      folder: 'lib',
    });
    expect(getTabLabel('lib/main.js', ['lib/main.js'])).toEqual({ name: 'main.js', folder: '' });
  });
});

describe('the file tree', () => {
  const paths = ['style.css', 'lib/b10.js', 'lib/b2.js', 'lib/deep/x.js', 'index.html'];

  test('shows the lockfile last', () => {
    const rows = listTreeRows(['package-lock.json', 'package.json', 'script.js'], new Set());
    expect(rows.map(({ path }) => path)).toEqual([
      'package.json',
      'script.js',
      'package-lock.json',
    ]);
    expect(rows.filter(({ path }) => isLockfile(path))).toHaveLength(1);
  });

  test('shows folders first, sorts numbers naturally, and has ARIA positions', () => {
    const rows = listTreeRows(paths, new Set());
    expect(rows.map(({ path, level }) => `${level} ${path}`)).toEqual([
      '1 lib',
      '2 lib/deep',
      '3 lib/deep/x.js',
      '2 lib/b2.js',
      '2 lib/b10.js',
      '1 index.html',
      '1 style.css',
    ]);
    expect(rows.at(-1)).toMatchObject({ position: 3, siblings: 3 });
  });

  test('hides the contents of a collapsed folder', () => {
    expect(listTreeRows(paths, new Set(['lib'])).map(({ path }) => path)).toEqual([
      'lib',
      'index.html',
      'style.css',
    ]);
  });

  test('supports the keys of an ARIA tree', () => {
    const rows = listTreeRows(paths, new Set(['lib/deep']));
    expect(findTreeMove(rows, 'lib', 'ArrowDown')).toEqual({ to: 'lib/deep' });
    expect(findTreeMove(rows, 'lib/deep', 'ArrowRight')).toEqual({ expand: 'lib/deep' });
    expect(findTreeMove(rows, 'lib', 'ArrowRight')).toEqual({ to: 'lib/deep' });
    expect(findTreeMove(rows, 'lib', 'ArrowLeft')).toEqual({ collapse: 'lib' });
    expect(findTreeMove(rows, 'lib/b2.js', 'ArrowLeft')).toEqual({ to: 'lib' });
    expect(findTreeMove(rows, 'lib', 'End')).toEqual({ to: 'style.css' });
    expect(findTreeMove(rows, 'style.css', 'ArrowDown')).toBeUndefined();
    expect(findTreeMove(rows, 'index.html', 'Tab')).toBeUndefined();
  });

  test('shows an empty folder, and only once when it has files', () => {
    const rows = listTreeRows(['lib/a.js'], new Set(), ['lib', 'img/icons']);
    expect(rows.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'folder img',
      'folder img/icons',
      'folder lib',
      'file lib/a.js',
    ]);
  });

  test('finds the next row by typeahead', () => {
    const rows = listTreeRows(paths, new Set());
    expect(findByTypeahead(rows, 'style.css', 'i')?.path).toBe('index.html');
    expect(findByTypeahead(rows, 'lib/b2.js', 'b')?.path).toBe('lib/b10.js');
    expect(findByTypeahead(rows, 'lib/b2.js', 'B2')?.path).toBe('lib/b2.js');
    expect(findByTypeahead(rows, 'lib/b2.js', 'q')).toBeUndefined();
  });

  test('lists the rows between two, in either direction', () => {
    const rows = listTreeRows(paths, new Set(['lib/deep']));
    expect(rowsBetween(rows, 'index.html', 'lib/b2.js')).toEqual([
      'lib/b2.js',
      'lib/b10.js',
      'index.html',
    ]);
    expect(rowsBetween(rows, 'gone.js', 'lib')).toEqual(['lib']);
  });
});

describe('moving rows', () => {
  const paths = ['a.js', 'lib/a.js', 'lib/deep/x.js', 'library.js'];

  test('includes the contents of a folder, but no path that only shares its prefix', () => {
    const rows = planMoves(['lib', 'lib/deep/x.js', 'library.js'], 'src');
    expect(rows).toEqual([
      { from: 'lib', to: 'src/lib' },
      { from: 'library.js', to: 'src/library.js' },
    ]);
    expect(moveFiles(paths, rows)).toEqual([
      { from: 'lib/a.js', to: 'src/lib/a.js' },
      { from: 'lib/deep/x.js', to: 'src/lib/deep/x.js' },
      { from: 'library.js', to: 'src/library.js' },
    ]);
    expect(movedPath('lib/deep', rows)).toBe('src/lib/deep');
    expect(movedPath('libs', rows)).toBe('libs');
    expect(outermost(['lib/a.js', 'lib', 'a.js'])).toEqual(['lib', 'a.js']);
  });

  test('skips rows already there, and never moves a folder into itself', () => {
    expect(planMoves(['lib/a.js', 'a.js'], 'lib')).toEqual([{ from: 'a.js', to: 'lib/a.js' }]);
    expect(planMoves(['lib'], 'lib/deep')).toEqual([]);
    expect(planMoves(['lib'], 'lib')).toEqual([]);
    expect(planMoves(['lib/deep', 'a.js'], '')).toEqual([{ from: 'lib/deep', to: 'deep' }]);
  });

  test('numbers copies next to their originals, case-insensitively, folders too', () => {
    expect(planCopies(['a.js', 'lib/a.js', 'lib'], paths)).toEqual([
      { from: 'a.js', to: 'a (2).js' },
      { from: 'lib', to: 'lib (2)' },
    ]);
    const taken = listTakenKeys(['A.css']);
    expect([reserveFreePath('a.css', taken), reserveFreePath('a.css', taken)]).toEqual([
      'a (2).css',
      'a (3).css',
    ]);
  });
});

describe('files whose path is taken', () => {
  const paths = ['a.js', 'B.css', 'lib/c.js'];
  type Answer = Awaited<ReturnType<AskCollision>>;

  /** Responds with these answers and records the questions. */
  function answering(...answers: Answer[]) {
    const asked: [string, number][] = [];
    const ask: AskCollision = (path, left) => {
      asked.push([path, left]);
      return Promise.resolve(answers.shift() ?? null);
    };
    return { asked, ask };
  }
  const one = (choice: CollisionChoice) => ({ choice, isForAll: false });
  const all = (choice: CollisionChoice) => ({ choice, isForAll: true });

  test('are confirmed one by one', async () => {
    const { asked, ask } = answering(one('replace'), one('keep-both'));
    const plan = await resolveCollisions(['a.js', 'new.js', 'b.css'], paths, ask);
    expect(asked).toEqual([
      ['a.js', 1],
      ['B.css', 0],
    ]);
    expect(plan).toEqual({ to: ['a.js', 'new.js', 'b (2).css'], replaced: ['a.js'] });
  });

  test('are asked about once if the answer applies to all', async () => {
    const { asked, ask } = answering(all('replace'));
    const plan = await resolveCollisions(['a.js', 'b.css', 'lib/c.js'], paths, ask);
    expect(asked).toEqual([['a.js', 2]]);
    expect(plan?.replaced).toEqual(paths);
    expect(plan?.to).toEqual(paths);
  });

  test('are all left out if the user cancels', async () => {
    const { asked, ask } = answering(one('replace'), null);
    expect(await resolveCollisions(['a.js', 'b.css', 'lib/c.js'], paths, ask)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('are not asked about if the name is free or only taken by a folder', async () => {
    const { asked, ask } = answering();
    expect(await resolveCollisions(['x.js', 'lib', 'x.js'], paths, ask)).toEqual({
      to: ['x.js', 'lib (2)', 'x (2).js'],
      replaced: [],
    });
    expect(asked).toEqual([]);
  });
});
