/** package.json's `sideEffects` as a question: may a module that nothing uses be left out? */
export function hasSideEffects(
  field: boolean | readonly string[] | undefined,
): (path: string) => boolean {
  if (field === undefined || typeof field === 'boolean') return () => field !== false;
  const patterns = field.map(toPattern);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** './dist/*.js' → dist/a.js; '*.css' → any style; '**' crosses folders. */
function toPattern(glob: string): RegExp {
  const plain = glob.replace(/^\.?\//, '');
  const anywhere = plain.includes('/') ? plain : `**/${plain}`;
  const source = anywhere
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*\*\/|\*\*|\*|\?/g, (wild) =>
      wild === '**/' ? '(?:.*/)?' : wild === '**' ? '.*' : wild === '*' ? '[^/]*' : '[^/]',
    );
  return new RegExp(`^${source}$`);
}
