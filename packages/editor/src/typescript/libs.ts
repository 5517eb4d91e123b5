/** TypeScript's own declarations of the language and of browsers, by file name, as they are built in. */
const modules = import.meta.glob<string>('../../../../node_modules/typescript/lib/lib.*.d.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const libs: ReadonlyMap<string, string> = new Map(
  Object.entries(modules).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
);
