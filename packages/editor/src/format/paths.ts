/** A folder's files that say how it is formatted, the first that is there. */
export const optionFiles = [
  '.prettierrc',
  '.prettierrc.json',
  '.prettierrc.yaml',
  '.prettierrc.yml',
];

/** Which files are formatted; the lock is npm's to write. */
export function isFormatted(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|[jt]sx|css|scss|less|html?|svg|vue|svelte|json|webmanifest|md|markdown|ya?ml)$/i.test(
      path,
    ) && !path.endsWith('package-lock.json')
  );
}

/** Which files say how. */
export function isFormatConfig(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [...optionFiles, 'package.json', '.editorconfig'].includes(name);
}
