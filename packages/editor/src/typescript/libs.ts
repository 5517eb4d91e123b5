/** TypeScript's own declarations of the language and of browsers, by file name, as they are built in. */
const modules = import.meta.glob<string>('../../../../node_modules/typescript/lib/lib.*.d.ts', {
  query: '?code',
  import: 'default',
  eager: true,
});

/** Without what comments say. */
export const libs: ReadonlyMap<string, string> = byName(modules);

export function byName(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
  );
}
