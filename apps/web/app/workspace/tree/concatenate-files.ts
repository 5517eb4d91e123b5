/** Concatenates all files with their paths as headings, for copying them to the clipboard. */
export function concatenateFiles(files: ReadonlyMap<string, string>): string {
  return [...files].map(([path, text]) => `===== ${path} =====\n${text}\n`).join('\n');
}
