/**
 * Files of the three-column layout, known from other playgrounds. The first existing path of a
 * column is shown.
 */
const columnFiles = {
  html: ['index.html'],
  css: ['style.css'],
  js: ['script.js', 'script.ts', 'App.tsx', 'App.jsx', 'App.vue', 'App.svelte'],
} as const;

export type ColumnName = keyof typeof columnFiles;

/** Path that a column shows: its first existing file, otherwise the file it offers to create. */
export function findColumnFile(name: ColumnName, paths: readonly string[]): string {
  const [first] = columnFiles[name];
  return columnFiles[name].find((path) => paths.includes(path)) ?? first;
}

/** True for a file shown in one of the three columns. */
export function isColumnFile(path: string, paths: readonly string[]): boolean {
  return (['html', 'css', 'js'] as const).some((name) => findColumnFile(name, paths) === path);
}
