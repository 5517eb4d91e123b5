/** What was cut from the declarations of the language and of browsers, by path. */
export const comments = import.meta.glob<string>(
  '../../../../node_modules/typescript/lib/lib.*.d.ts',
  { query: '?comments', import: 'default', eager: true },
);
