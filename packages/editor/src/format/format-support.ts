/** Prettier config files of a folder, in order of precedence. */
export const prettierConfigFiles = [
  '.prettierrc',
  '.prettierrc.json',
  '.prettierrc.yaml',
  '.prettierrc.yml',
];

/** True for files that can be formatted. The lockfile is written by npm. */
export function canFormat(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|[jt]sx|p?css|postcss|scss|less|html?|svg|vue|svelte|json|webmanifest|md|markdown|ya?ml)$/i.test(
      path,
    ) && !path.endsWith('package-lock.json')
  );
}

/** True for files that configure formatting. */
export function isFormatConfig(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [...prettierConfigFiles, 'package.json', '.editorconfig'].includes(name);
}
