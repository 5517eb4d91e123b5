/**
 * Returns a predicate for package.json's `sideEffects`: whether a module must be kept when nothing
 * imports from it.
 */
export function createSideEffectTest(
  field: boolean | readonly string[] | undefined,
): (path: string) => boolean {
  if (field === undefined || typeof field === 'boolean') return () => field !== false;
  const patterns = field.map(toPattern);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/**
 * Glob → regular expression: './dist/*.js' matches dist/a.js, '*.css' every style sheet, and '**'
 * any folders.
 */
function toPattern(glob: string): RegExp {
  const plain = glob.replace(/^\.?\//, '');
  const anywhere = plain.includes('/') ? plain : `**/${plain}`;
  const source = anywhere
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*\*\/|\*\*|\*|\?/g, (wildcard) =>
      wildcard === '**/'
        ? '(?:.*/)?'
        : wildcard === '**'
          ? '.*'
          : wildcard === '*'
            ? '[^/]*'
            : '[^/]',
    );
  return new RegExp(`^${source}$`);
}
