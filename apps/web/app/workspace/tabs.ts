/** The files that stand open, in the order of their tabs, and the one that is seen. */
export interface Tabs {
  readonly open: readonly string[];
  readonly active: string | undefined;
}

/** In the order of their tabs: where a component is begun with, it is what people came to write. */
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

/** What a project opens with: its usual files where it has them, else its first file. */
export function initialTabs(paths: readonly string[]): Tabs {
  const usual = firstFiles.filter((path) => paths.includes(path));
  const open = usual.length > 0 ? usual : paths.slice(0, 1);
  return { open, active: open[0] };
}

/** Shows a file; a new tab stands to the right of the one that was seen. */
export function openTab(tabs: Tabs, path: string): Tabs {
  if (tabs.active === path) return tabs;
  if (tabs.open.includes(path)) return { ...tabs, active: path };
  const at = tabs.active === undefined ? 0 : tabs.open.indexOf(tabs.active) + 1;
  return { open: tabs.open.toSpliced(at, 0, path), active: path };
}

/** Closes a tab; if it was seen, its right neighbour is seen next, else its left one. */
export function closeTab(tabs: Tabs, path: string): Tabs {
  const at = tabs.open.indexOf(path);
  if (at < 0) return tabs;
  const open = tabs.open.toSpliced(at, 1);
  return { open, active: tabs.active === path ? (open[at] ?? open[at - 1]) : tabs.active };
}

/** A renamed file keeps its tab. */
export function renameTab(tabs: Tabs, from: string, to: string): Tabs {
  if (!tabs.open.includes(from)) return tabs;
  return {
    open: tabs.open.map((path) => (path === from ? to : path)),
    active: tabs.active === from ? to : tabs.active,
  };
}

/** Names that two open files share get their folder beside them: "a/main.js" → "main.js a". */
export function tabLabel(path: string, open: readonly string[]): { name: string; folder: string } {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const shared = open.some(
    (other) => (other !== path && other.endsWith(`/${name}`)) || (other === name && other !== path),
  );
  return { name, folder: shared ? path.slice(0, Math.max(0, path.length - name.length - 1)) : '' };
}
