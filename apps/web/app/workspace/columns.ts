/** The three columns are a layout over these files, as people know it from other playgrounds. */
const columnFiles = {
  html: ['index.html'],
  css: ['style.css'],
  js: ['script.js', 'script.ts', 'App.tsx', 'App.jsx', 'App.vue', 'App.svelte'],
} as const;

export type ColumnName = keyof typeof columnFiles;

/** The file that a column shows: the first of its files that is there, else the one to be made. */
export function findColumnFile(name: ColumnName, paths: readonly string[]): string {
  const [first] = columnFiles[name];
  return columnFiles[name].find((path) => paths.includes(path)) ?? first;
}

/** True for a file that the three columns show. */
export function isColumnFile(path: string, paths: readonly string[]): boolean {
  return (['html', 'css', 'js'] as const).some((name) => findColumnFile(name, paths) === path);
}
