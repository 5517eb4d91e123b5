import { basename, dirname } from '../tree/file-paths.ts';

/** What a tab shows. */
export type Tab =
  | { readonly kind: 'file'; readonly path: string }
  /** Type declarations of a package or of the standard library. */
  | { readonly kind: 'declaration'; readonly path: string }
  | VersionTab
  | DiffTab;

/** A file as it is in a version of the project. */
export interface VersionTab {
  readonly kind: 'version';
  readonly number: number;
  readonly path: string;
}

/** The differences of a file between two versions. `to` is null for the current version. */
export interface DiffTab {
  readonly kind: 'diff';
  readonly from: number;
  readonly to: number | null;
  readonly path: string;
}

/** What an editor can show. */
export type EditorTab = Exclude<Tab, DiffTab>;

/** A position in what a tab shows: line and column, both from 1. */
export interface TabLocation {
  readonly tab: Tab;
  readonly line: number;
  readonly column: number;
}

/** Tabs of an editor group, in order. */
export interface TabList {
  readonly open: readonly Tab[];
  readonly active: Tab | undefined;
  /** The transient tab, which the next such tab replaces. */
  readonly preview: Tab | undefined;
  /** Number of pinned tabs. They come first. */
  readonly pinned: number;
}

/**
 * A tab's key, the same for two tabs that show the same thing. Stored, so it must not change: a
 * file's key is its path, others begin with a slash, which no path does.
 * { kind: 'declaration', path: 'node_modules/a/a.d.ts' } → "/declaration/node_modules/a/a.d.ts"
 * { kind: 'version', number: 12, path: 'a.js' } → "/version/12/a.js"
 * { kind: 'diff', from: 12, to: null, path: 'a.js' } → "/diff/12../a.js"
 */
export function getTabKey(tab: Tab): string {
  switch (tab.kind) {
    case 'file':
      return tab.path;
    case 'declaration':
      return `/declaration/${tab.path}`;
    case 'version':
      return `/version/${tab.number}/${tab.path}`;
    case 'diff':
      return `/diff/${tab.from}..${tab.to ?? ''}/${tab.path}`;
  }
}

/** Parses a tab's key. Undefined for a kind of tab that only a newer build has. */
function parseTabKey(key: string): Tab | undefined {
  if (!key.startsWith('/')) return createFileTab(key);
  const { kind, path, number, from, to } =
    /^\/(?:(?<kind>declaration)|version\/(?<number>\d+)|diff\/(?<from>\d+)\.\.(?<to>\d*))\/(?<path>.+)$/.exec(
      key,
    )?.groups ?? {};
  if (path === undefined) return undefined;
  if (kind !== undefined) return { kind: 'declaration', path };
  if (number !== undefined) return { kind: 'version', number: Number(number), path };
  return { kind: 'diff', from: Number(from), to: to ? Number(to) : null, path };
}

export function createFileTab(path: string): EditorTab {
  return { kind: 'file', path };
}

export function isSameTab(a: Tab, b: Tab | undefined): boolean {
  return a === b || (b !== undefined && getTabKey(a) === getTabKey(b));
}

/**
 * Path of the file that a tab edits: the tab follows its renames and closes once it's deleted.
 * Undefined for a tab that edits none, which is read-only.
 */
export function getEditedPath(tab: Tab | undefined): string | undefined {
  return tab?.kind === 'file' ? tab.path : undefined;
}

/**
 * Accessible name of a tab: "node_modules/@types/react/index.d.ts" → "@types/react/index.d.ts";
 * "a.js" of version 12 → "a.js (version 12)".
 */
export function getTabName(tab: Tab): string {
  switch (tab.kind) {
    case 'file':
      return tab.path;
    case 'declaration':
      return tab.path.replace(/^(?:node_modules|__vitrine\/lib)\//, '');
    case 'version':
      return `${tab.path} (version ${tab.number})`;
    case 'diff':
      return `${tab.path} (version ${tab.from} to ${tab.to ?? 'current version'})`;
  }
}

/**
 * Label of a tab. The folder is set for a declaration, and for a file if another tab has the same
 * name: "a/main.js" → "main.js", "a". For a version and a diff, it says which.
 */
export function getTabLabel(tab: Tab, open: readonly Tab[]): { name: string; folder: string } {
  if (tab.kind === 'version') return { name: basename(tab.path), folder: `version ${tab.number}` };
  if (tab.kind === 'diff')
    return { name: basename(tab.path), folder: `${tab.from} → ${tab.to ?? 'current version'}` };
  const path = getTabName(tab);
  const name = basename(path);
  const isShared = open.some(
    (other) => !isSameTab(other, tab) && basename(getTabName(other)) === name,
  );
  return { name, folder: isShared || tab.kind === 'declaration' ? dirname(path) : '' };
}

/** Files opened initially, in tab order. In a project with a root component, that comes first. */
const firstFiles = [
  'App.tsx',
  'App.jsx',
  'App.vue',
  'App.svelte',
  'src/App.tsx',
  'src/App.jsx',
  'src/App.js',
  'src/App.vue',
  'src/App.svelte',
  'index.html',
  'index.md',
  'style.css',
  'style.scss',
  'script.js',
  'script.ts',
  'script.tsx',
  'src/main.ts',
  'src/main.js',
];

/** Files opened initially in projects without any of the first ones. */
const entryFiles = [
  ...['src/main', 'src/index'].flatMap((name) =>
    ['tsx', 'jsx', 'ts', 'js'].map((extension) => `${name}.${extension}`),
  ),
  'public/index.html',
];

/** Tabs with the first one active. */
export function createTabs(open: readonly Tab[]): TabList {
  return { open, active: open[0], preview: undefined, pinned: 0 };
}

/** Initial tabs of a project: its common files, otherwise its README or its first file, which isn't a dot file. */
export function createInitialTabs(paths: readonly string[]): TabList {
  const findPresent = (names: readonly string[]) => names.filter((path) => paths.includes(path));
  const choices = [
    findPresent(firstFiles),
    findPresent(entryFiles),
    paths.filter((path) => /^readme\.md$/i.test(path)),
    paths.filter((path) => !path.startsWith('.')).slice(0, 1),
    paths.slice(0, 1),
  ];
  const open = choices.find((found) => found.length > 0) ?? [];
  return createTabs(open.map(createFileTab));
}

/**
 * Opens a tab, or activates it. A new one is placed to the right of the active one; a transient one
 * replaces the previous transient tab.
 */
export function openTab(tabs: TabList, tab: Tab, isPreview = false): TabList {
  const known = isPreview ? tabs : keepTabOpen(tabs, tab);
  const at = indexOfTab(tabs.open, tab);
  if (at >= 0) return isSameTab(tab, known.active) ? known : { ...known, active: tabs.open[at] };
  if (isPreview && tabs.preview !== undefined) {
    const open = tabs.open.with(indexOfTab(tabs.open, tabs.preview), tab);
    return { ...tabs, open, active: tab, preview: tab };
  }
  const beside = tabs.active === undefined ? 0 : indexOfTab(tabs.open, tabs.active) + 1;
  const open = tabs.open.toSpliced(Math.max(beside, tabs.pinned), 0, tab);
  return { ...tabs, open, active: tab, ...(isPreview && { preview: tab }) };
}

/** Makes a transient tab permanent. */
export function keepTabOpen(tabs: TabList, tab: Tab): TabList {
  return isSameTab(tab, tabs.preview) ? { ...tabs, preview: undefined } : tabs;
}

/**
 * Closes a tab. If it was active, the tab to its right becomes active, otherwise the one to its
 * left.
 */
export function closeTab(tabs: TabList, tab: Tab): TabList {
  const at = indexOfTab(tabs.open, tab);
  if (at < 0) return tabs;
  const open = tabs.open.toSpliced(at, 1);
  return {
    ...keepTabOpen(tabs, tab),
    open,
    active: isSameTab(tab, tabs.active) ? (open[at] ?? open[at - 1]) : tabs.active,
    pinned: at < tabs.pinned ? tabs.pinned - 1 : tabs.pinned,
  };
}

/** Closes the tabs of files that don't exist. */
export function closeMissingTabs(tabs: TabList, paths: readonly string[]): TabList {
  return tabs.open.filter((tab) => !isPresent(tab, paths)).reduce(closeTab, tabs);
}

/** False for the tab of a file that doesn't exist. */
export function isPresent(tab: Tab, paths: readonly string[]): boolean {
  const path = getEditedPath(tab);
  return path === undefined || paths.includes(path);
}

export type CloseScope = 'this' | 'others' | 'right' | 'all';

/** Tabs to close for an action on a tab. Pinned tabs are only closed by themselves. */
export function tabsToClose({ open, pinned }: TabList, tab: Tab, which: CloseScope): Tab[] {
  if (which === 'this') return [tab];
  const at = indexOfTab(open, tab);
  return open.filter((_, index) => {
    if (index < pinned) return false;
    return which === 'all' || (which === 'right' ? index > at : index !== at);
  });
}

/** Pins a tab after the pinned ones, or unpins it before the others. */
export function togglePin(tabs: TabList, tab: Tab): TabList {
  const at = indexOfTab(tabs.open, tab);
  if (at < 0) return tabs;
  const isPinned = at < tabs.pinned;
  const pinned = tabs.pinned + (isPinned ? -1 : 1);
  const open = tabs.open.toSpliced(at, 1).toSpliced(isPinned ? pinned : pinned - 1, 0, tab);
  return { ...keepTabOpen(tabs, tab), open, pinned };
}

/** Moves a tab, within the pinned tabs or within the others. */
export function moveTab(tabs: TabList, tab: Tab, to: number): TabList {
  const at = indexOfTab(tabs.open, tab);
  if (at < 0) return tabs;
  const isPinned = at < tabs.pinned;
  const first = isPinned ? 0 : tabs.pinned;
  const last = isPinned ? tabs.pinned - 1 : tabs.open.length - 1;
  const place = Math.min(Math.max(to, first), last);
  if (place === at) return tabs;
  return { ...keepTabOpen(tabs, tab), open: tabs.open.toSpliced(at, 1).toSpliced(place, 0, tab) };
}

/** Updates the tab of a renamed file. */
export function renameFile(tabs: TabList, from: string, to: string): TabList {
  const rename = <T extends Tab | undefined>(tab: T) =>
    getEditedPath(tab) === from ? createFileTab(to) : tab;
  if (!tabs.open.some((tab) => getEditedPath(tab) === from)) return tabs;
  return {
    ...tabs,
    open: tabs.open.map(rename),
    active: rename(tabs.active),
    preview: rename(tabs.preview),
  };
}

/** Tabs of an editor group as stored in JSON, by their keys. Older builds stored files only. */
export interface StoredTabList {
  readonly open: readonly string[];
  readonly active: string | undefined;
  readonly preview: string | undefined;
  readonly pinned: number;
}

export function toStoredTabList({ open, active, preview, pinned }: TabList): StoredTabList {
  return {
    open: open.map(getTabKey),
    active: active && getTabKey(active),
    preview: preview && getTabKey(preview),
    pinned,
  };
}

/** Parses stored tabs. Invalid ones, and those of a kind that only a newer build has, are dropped. */
export function parseTabList(value: unknown): TabList | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('open' in value) || !Array.isArray(value.open)) return undefined;
  const stored: Partial<Record<keyof TabList, unknown>> = value;
  const keys = [...new Set(value.open.filter((key) => typeof key === 'string'))];
  const parse = (those: readonly string[]) => those.flatMap((key) => parseTabKey(key) ?? []);
  const open = parse(keys);
  const find = (key: unknown) => open.find((tab) => getTabKey(tab) === key);
  const pinned = Number(stored.pinned);
  return {
    open,
    active: find(stored.active) ?? open[0],
    preview: find(stored.preview),
    pinned: pinned >= 0 ? parse(keys.slice(0, Math.floor(pinned))).length : 0,
  };
}

function indexOfTab(open: readonly Tab[], tab: Tab): number {
  return open.findIndex((each) => isSameTab(each, tab));
}
