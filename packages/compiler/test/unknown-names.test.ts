import { expect, it } from 'vitest';
import { findUnknownNames } from '../src/script/unknown-names.ts';

/** Finds unknown names in a module after replacing “x” by the given text. */
function unknownOf(text: string): string[] {
  const code = `const count = 1; ${text}`;
  return findUnknownNames('const count = 1; call(x)', code, code, (name) => name === 'known');
}

it('finds an added name that is not declared', () => {
  expect(unknownOf('export const App = () => call("b", null, coun);')).toEqual(['coun']);
  expect(unknownOf('call({ coun })')).toEqual(['coun']);
  expect(unknownOf('a[coun] = [] ? coun : 1')).toEqual(['a', 'coun']);
});

it.each([
  'count',
  'known()',
  'x',
  '"coun"; `coun`; /coun/; // coun',
  'count.coun; count?.coun',
  '({ coun: 1 }); class A { coun = 1; go() {} }',
  'const coun = 1; export { coun }',
  '(async (coun) => { await coun; })()',
  'function Card({ coun }) { return coun; }',
  'import coun, { other as more } from "a"; coun(more);',
  'for (const coun of []) coun;',
  'call.map(coun => coun)',
  'let a, coun; coun',
  'const [{ b: { coun } }] = call(); coun',
  '(function (a = call(), coun = 1) { return coun; })',
  'class Coun {} new Coun()',
  'try { call(); } catch (coun) { coun; }',
  'coun: for (;;) break coun;',
  'export { count as coun }; export * as more from "a"',
  'import { coun as one } from "a"; one()',
  'import.meta.url; function go() { return new.target; }',
  'function go() { return arguments; }',
  'typeof coun === "undefined"',
  'this is no code',
])('finds none in %s', (text) => {
  expect(unknownOf(text)).toEqual([]);
});
