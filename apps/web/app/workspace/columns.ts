/** The three columns are a layout over these files, as people know it from other playgrounds. */
export const columnFiles = { html: 'index.html', css: 'style.css', js: 'script.js' } as const;

export type ColumnName = keyof typeof columnFiles;

/** True for a file that the three columns show. */
export function isColumnFile(path: string): boolean {
  return Object.values(columnFiles).some((file) => file === path);
}
