import { describe, expect, it } from 'vitest';
import { toReplCode } from '../src/repl-code.ts';

// oxlint-disable-next-line no-eval -- runs the code as the page does
const run = (shown: string): unknown => (0, eval)(toReplCode(shown).code);

describe('console input', () => {
  it('keeps declared names, and allows declaring them again', () => {
    run('let one = 1; const { a, b: [two] } = { a: 5, b: [2] }; class Point { x = 3 }');
    expect(run('one + two + new Point().x + a')).toBe(11);
    expect(run('const one = 10; one')).toBe(10);
  });

  it('treats braces that could be an object as one', () => {
    expect(run('{ a: 1, b: { c: 2 } }')).toEqual({ a: 1, b: { c: 2 } });
    expect(run('{}')).toEqual({});
    expect(run('{ let inside = 3; inside }')).toBe(3);
  });

  it('awaits outside of functions, and returns the last value', async () => {
    const typed = `const later = async (n) => { await null; return n };
      const [p, { q = 4 }] = await Promise.all([later(1), later({})]), r = 2; // note
      function sum() { return p + q + r } class Late {}
      let unset
      for await (const n of [later(1)]) unset = n
      sum() + unset; // the last`;
    expect(toReplCode(typed).awaits).toBe(true);
    expect(await run(typed)).toBe(8);
    expect(run('`${sum()} ${unset} ${r} ${new Late().constructor.name}`')).toBe('7 1 2 Late');
  });

  it('is unchanged if only a function awaits', () => {
    expect(toReplCode('async () => { await 1 }').awaits).toBe(false);
    expect(toReplCode('async function f() { for await (const a of b); }').awaits).toBe(false);
    expect(toReplCode('"await 1"').awaits).toBe(false);
  });

  it('leaves invalid code to the page, which reports the error', () => {
    expect(() => run('let = = 1')).toThrow(SyntaxError);
    expect(() => run('{ a: }')).toThrow(SyntaxError);
  });
});
