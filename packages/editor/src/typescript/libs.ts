/** TypeScript's standard library, bundled by path. */
const modules = import.meta.glob<string>('../../../../node_modules/typescript/lib/lib.*.d.ts', {
  query: '?code',
  import: 'default',
  eager: true,
});

/** Declarations of the standard library without comments, by file name. */
export const libs: ReadonlyMap<string, string> = mapByFileName(modules);

/** Replaces paths by file names. */
export function mapByFileName(
  files: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
  );
}
