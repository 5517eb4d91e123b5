/**
 * Comments of TypeScript's standard library, by path. A chunk of its own, loaded with the first
 * documentation.
 */
export const comments = import.meta.glob<string>(
  '../../../../node_modules/typescript/lib/lib.*.d.ts',
  { query: '?comments', import: 'default', eager: true },
);
