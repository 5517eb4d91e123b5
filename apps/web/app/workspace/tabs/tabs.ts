/** Tabs of an editor group, in order. Stored as JSON. */
export interface FileTabs {
  readonly open: readonly string[];
  readonly active: string | undefined;
  /** The transient tab, which the next such file replaces. */
  readonly preview: string | undefined;
  /** Number of pinned tabs. They come first. */
  readonly pinned: number;
}

/** Files opened initially, in tab order. In a project with a root component, that comes first. */
const firstFiles = [
  'App.tsx',
  'App.jsx',
  'App.vue',
  'App.svelte',
  'index.html',
  'index.md',
  'style.css',
  'style.scss',
  'script.js',
  'script.ts',
  'script.tsx',
];

/** Tabs for these files, the first one active. */
export function createTabs(open: readonly string[]): FileTabs {
  return { open, active: open[0], preview: undefined, pinned: 0 };
}

/** Initial tabs of a project: its common files, otherwise its first file. */
export function createInitialTabs(paths: readonly string[]): FileTabs {
  const common = firstFiles.filter((path) => paths.includes(path));
  const open = common.length > 0 ? common : paths.slice(0, 1);
  return createTabs(open);
}

/**
 * Opens a file. A new tab is placed to the right of the active one; a transient one replaces the
 * previous transient tab.
 */
export function openTab(tabs: FileTabs, path: string, isPreview = false): FileTabs {
  const known = isPreview ? tabs : keepTabOpen(tabs, path);
  if (tabs.open.includes(path)) return known.active === path ? known : { ...known, active: path };
  if (isPreview && tabs.preview !== undefined) {
    const open = tabs.open.map((each) => (each === tabs.preview ? path : each));
    return { ...tabs, open, active: path, preview: path };
  }
  const beside = tabs.active === undefined ? 0 : tabs.open.indexOf(tabs.active) + 1;
  const open = tabs.open.toSpliced(Math.max(beside, tabs.pinned), 0, path);
  return { ...tabs, open, active: path, ...(isPreview && { preview: path }) };
}

/** Makes a transient tab permanent. */
export function keepTabOpen(tabs: FileTabs, path: string): FileTabs {
  return tabs.preview === path ? { ...tabs, preview: undefined } : tabs;
}

/**
 * Closes a tab. If it was active, the tab to its right becomes active, otherwise the one to its
 * left.
 */
export function closeTab(tabs: FileTabs, path: string): FileTabs {
  const at = tabs.open.indexOf(path);
  if (at < 0) return tabs;
  const open = tabs.open.toSpliced(at, 1);
  return {
    ...keepTabOpen(tabs, path),
    open,
    active: tabs.active === path ? (open[at] ?? open[at - 1]) : tabs.active,
    pinned: at < tabs.pinned ? tabs.pinned - 1 : tabs.pinned,
  };
}

export type CloseScope = 'this' | 'others' | 'right' | 'all';

/** Tabs to close for an action on a tab. Pinned tabs are only closed by themselves. */
export function tabsToClose({ open, pinned }: FileTabs, path: string, which: CloseScope): string[] {
  if (which === 'this') return [path];
  const at = open.indexOf(path);
  return open.filter((_, index) => {
    if (index < pinned) return false;
    return which === 'all' || (which === 'right' ? index > at : index !== at);
  });
}

/** Pins a tab after the pinned ones, or unpins it before the others. */
export function togglePin(tabs: FileTabs, path: string): FileTabs {
  const at = tabs.open.indexOf(path);
  if (at < 0) return tabs;
  const isPinned = at < tabs.pinned;
  const pinned = tabs.pinned + (isPinned ? -1 : 1);
  const open = tabs.open.toSpliced(at, 1).toSpliced(isPinned ? pinned : pinned - 1, 0, path);
  return { ...keepTabOpen(tabs, path), open, pinned };
}

/** Moves a tab, within the pinned tabs or within the others. */
export function moveTab(tabs: FileTabs, path: string, to: number): FileTabs {
  const at = tabs.open.indexOf(path);
  if (at < 0) return tabs;
  const isPinned = at < tabs.pinned;
  const first = isPinned ? 0 : tabs.pinned;
  const last = isPinned ? tabs.pinned - 1 : tabs.open.length - 1;
  const place = Math.min(Math.max(to, first), last);
  if (place === at) return tabs;
  return { ...keepTabOpen(tabs, path), open: tabs.open.toSpliced(at, 1).toSpliced(place, 0, path) };
}

/** Updates tabs after a rename. */
export function renameTab(tabs: FileTabs, from: string, to: string): FileTabs {
  if (!tabs.open.includes(from)) return tabs;
  return {
    ...tabs,
    open: tabs.open.map((path) => (path === from ? to : path)),
    active: tabs.active === from ? to : tabs.active,
    preview: tabs.preview === from ? to : tabs.preview,
  };
}

/**
 * Label of a tab. The folder is set if another open file has the same name: "a/main.js" →
 * "main.js", "a".
 */
export function getTabLabel(
  path: string,
  open: readonly string[],
): { name: string; folder: string } {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const shared = open.some(
    (other) => (other !== path && other.endsWith(`/${name}`)) || (other === name && other !== path),
  );
  return { name, folder: shared ? path.slice(0, Math.max(0, path.length - name.length - 1)) : '' };
}
