import fc from 'fast-check';
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
  closeMissingTabs,
  closeTab,
  createFileTab,
  createInitialTabs,
  keepTabOpen,
  moveTab,
  openTab,
  parseTabList,
  renameFile,
  getTabKey,
  getTabLabel,
  getTabName,
  createTabs,
  tabsToClose,
  togglePin,
  toStoredTabList,
  type Tab,
  type TabList,
} from '../../app/workspace/tabs/tabs.ts';

const file = createFileTab;
const declaration = (path: string): Tab => ({ kind: 'declaration', path });
const react = declaration('node_modules/@types/react/index.d.ts');
const files = (paths: string) => createTabs([...paths].map(file));
const tabs = (open: string, active: string, more: Partial<TabList> = {}): TabList => ({
  ...files(open),
  active: file(active),
  ...more,
});
const pathsOf = ({ open }: TabList) => open.map(({ path }) => path).join('');

describe('tabs', () => {
  test('open with the three common files, the page first', () => {
    expect(createInitialTabs(['lib/a.js', 'script.js', 'index.html', 'style.css'])).toEqual(
      createTabs(['index.html', 'style.css', 'script.js'].map(file)),
    );
    expect(createInitialTabs(['notes.md', 'z.md'])).toEqual(createTabs([file('notes.md')]));
    expect(createInitialTabs([]).active).toBeUndefined();
  });

  test('open the entry of a project without common files, never a dot file if there are others', () => {
    const paths = ['.eslintrc', '.gitignore', 'package.json', 'public/index.html', 'src/index.js'];
    expect(createInitialTabs(paths)).toEqual(
      createTabs([file('src/index.js'), file('public/index.html')]),
    );
    expect(createInitialTabs(paths.slice(0, 3)).active).toEqual(file('package.json'));
    expect(createInitialTabs(paths.slice(0, 2)).active).toEqual(file('.eslintrc'));
    expect(createInitialTabs(['.gitignore', 'public/index.html', 'src/App.js']).active).toEqual(
      file('src/App.js'),
    );
  });

  test('open with the root component if there is one', () => {
    const paths = ['App.tsx', 'index.html', 'main.tsx', 'package.json', 'style.css'];
    const initial = ['App.tsx', 'index.html', 'style.css'].map(file);
    expect(createInitialTabs(paths)).toEqual(createTabs(initial));
  });

  test('open a file next to the active one, and only once', () => {
    const three = openTab(tabs('ab', 'a'), file('c'));
    expect(three).toEqual(tabs('acb', 'c'));
    expect(openTab(three, file('b'))).toEqual(tabs('acb', 'b'));
  });

  test('reuse the transient tab for the next file', () => {
    const looking = openTab(tabs('ab', 'a'), file('c'), true);
    expect(looking).toEqual(tabs('acb', 'c', { preview: file('c') }));
    const next = openTab(looking, file('d'), true);
    expect(next).toEqual(tabs('adb', 'd', { preview: file('d') }));
    expect(openTab(next, file('b'), true)).toEqual(tabs('adb', 'b', { preview: file('d') }));
    const kept = openTab(keepTabOpen(next, file('d')), file('e'), true);
    expect(kept).toEqual(tabs('adeb', 'e', { preview: file('e') }));
    expect(openTab(kept, file('e')).preview).toBeUndefined();
  });

  test('activate a neighbor when the active one is closed', () => {
    expect(closeTab(tabs('abc', 'b'), file('b')).active).toEqual(file('c'));
    expect(closeTab(tabs('abc', 'c'), file('c')).active).toEqual(file('b'));
    expect(closeTab(tabs('abc', 'b'), file('a'))).toEqual(tabs('bc', 'b'));
    expect(closeTab(tabs('a', 'a'), file('a'))).toEqual(createTabs([]));
  });

  test('close others, those to the right, or all, except pinned ones', () => {
    const three = tabs('abcd', 'b', { pinned: 1 });
    expect(tabsToClose(three, file('b'), 'others')).toEqual(['c', 'd'].map(file));
    expect(tabsToClose(three, file('c'), 'right')).toEqual([file('d')]);
    expect(tabsToClose(three, file('c'), 'all')).toEqual(['b', 'c', 'd'].map(file));
    expect(tabsToClose(three, file('a'), 'this')).toEqual([file('a')]);
    expect(closeTab(three, file('a')).pinned).toBe(0);
  });

  test('come first while pinned, and move among pinned or unpinned ones', () => {
    const pinned = togglePin(togglePin(tabs('abcd', 'b'), file('c')), file('b'));
    expect(pinned).toEqual(tabs('cbad', 'b', { pinned: 2 }));
    expect(togglePin(pinned, file('c'))).toEqual(tabs('bcad', 'b', { pinned: 1 }));
    expect(moveTab(pinned, file('a'), 0)).toBe(pinned);
    expect(pathsOf(moveTab(pinned, file('a'), 9))).toBe('cbda');
    expect(pathsOf(moveTab(pinned, file('c'), 9))).toBe('bcad');
    expect(pathsOf(openTab(tabs('abc', 'a', { pinned: 2 }), file('x')))).toBe('abxc');
  });

  test('follow a renamed or deleted file, unless they show something else at its path', () => {
    const before = { ...createTabs([file('a'), file('b'), declaration('b')]), active: file('b') };
    expect(renameFile({ ...before, preview: file('b') }, 'b', 'lib/b')).toEqual({
      ...createTabs([file('a'), file('lib/b'), declaration('b')]),
      active: file('lib/b'),
      preview: file('lib/b'),
    });
    expect(closeMissingTabs(before, ['a'])).toEqual({
      ...createTabs([file('a'), declaration('b')]),
      active: declaration('b'),
    });
  });

  test('of different kinds with the same path are different tabs', () => {
    const both = openTab(openTab(files(''), file('b'), true), declaration('b'));
    expect(both).toEqual({
      ...createTabs([file('b'), declaration('b')]),
      active: declaration('b'),
      preview: file('b'),
    });
    expect(closeTab(both, file('b'))).toEqual(createTabs([declaration('b')]));
  });

  test('show the folder of a declaration, and of a file if another tab has its name', () => {
    const open = [file('lib/main.js'), file('main.js'), file('types/index.d.ts'), react];
    expect(open.map((tab) => getTabLabel(tab, open))).toEqual([
      { name: 'main.js', folder: 'lib' },
      { name: 'main.js', folder: '' },
      { name: 'index.d.ts', folder: 'types' },
      { name: 'index.d.ts', folder: '@types/react' },
    ]);
    const [first = react] = open;
    expect(getTabLabel(first, [first, react])).toEqual({ name: 'main.js', folder: '' });
    expect(getTabName(declaration('__vitrine/lib/lib.dom.d.ts'))).toBe('lib.dom.d.ts');
  });

  test('of a version or a diff say which, and stay when the file is renamed or deleted', () => {
    const open: Tab[] = [
      { kind: 'version', number: 12, path: 'lib/a.js' },
      { kind: 'diff', from: 3, to: 12, path: 'lib/a.js' },
      { kind: 'diff', from: 3, to: null, path: 'lib/a.js' },
    ];
    expect(open.map(getTabName)).toEqual([
      'lib/a.js (version 12)',
      'lib/a.js (version 3 to 12)',
      'lib/a.js (version 3 to current version)',
    ]);
    expect(open.map((tab) => getTabLabel(tab, open))).toEqual([
      { name: 'a.js', folder: 'version 12' },
      { name: 'a.js', folder: '3 → 12' },
      { name: 'a.js', folder: '3 → current version' },
    ]);
    const list = createTabs(open);
    expect(renameFile(list, 'lib/a.js', 'b.js')).toBe(list);
    expect(closeMissingTabs(list, [])).toBe(list);
  });
});

describe('stored tabs', () => {
  test('of older builds, which stored paths, are files', () => {
    const stored = { open: ['a.js', 'lib/b.js'], active: 'lib/b.js', preview: 'a.js', pinned: 1 };
    expect(parseTabList(stored)).toEqual({
      open: [file('a.js'), file('lib/b.js')],
      active: file('lib/b.js'),
      preview: file('a.js'),
      pinned: 1,
    });
  });

  test('open as they were, and files have the same form as in older builds', () => {
    const list = { ...createTabs([react, file('a.js')]), preview: react, pinned: 1 };
    expect(parseTabList(JSON.parse(JSON.stringify(toStoredTabList(list))))).toEqual(list);
    expect(toStoredTabList(tabs('ab', 'b', { pinned: 1 }))).toEqual({
      open: ['a', 'b'],
      active: 'b',
      preview: undefined,
      pinned: 1,
    });
  });

  test('of versions and diffs open as they were', () => {
    const list: TabList = {
      ...createTabs([
        { kind: 'version', number: 12, path: 'lib/a.js' },
        { kind: 'diff', from: 3, to: 12, path: 'lib/a.js' },
        { kind: 'diff', from: 3, to: null, path: 'a 1/2.js' },
      ]),
    };
    expect(parseTabList(JSON.parse(JSON.stringify(toStoredTabList(list))))).toEqual(list);
  });

  test('of a kind that only a newer build has are dropped, and the others stay as they were', () => {
    const open = ['/version/x/a.js', 'a.js', '/asset/logo.png', 'b.js'];
    const stored = { open, active: '/asset/logo.png', preview: '/asset/logo.png', pinned: 2 };
    expect(parseTabList(stored)).toEqual(
      tabs('', 'a.js', { open: [file('a.js'), file('b.js')], pinned: 1 }),
    );
  });

  test('are valid whatever was stored', () => {
    expect(
      parseTabList({ open: ['a', 1, 'a', 'b'], active: 'gone', preview: {}, pinned: 9 }),
    ).toEqual(tabs('ab', 'a', { pinned: 2 }));
    fc.assert(
      fc.property(fc.json(), fc.array(fc.string()), (text, open) => {
        for (const value of [JSON.parse(text), { ...JSON.parse(text), open }]) {
          const list = parseTabList(value);
          if (!list) continue;
          expect(list.pinned).toBeLessThanOrEqual(list.open.length);
          expect(new Set(list.open.map(getTabKey)).size).toBe(list.open.length);
          expect(list.active === undefined || list.open.includes(list.active)).toBe(true);
        }
      }),
    );
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
