/** All files as one text, each under its path, for when there is nowhere else to keep them. */
export function joinFiles(files: ReadonlyMap<string, string>): string {
  return [...files].map(([path, text]) => `===== ${path} =====\n${text}\n`).join('\n');
}
