import { describe, expect, it } from 'vitest';
import { compileModule } from '../src/compile-module.ts';
import { createModuleContext, readProjectConfig } from '../src/index.ts';
import { applyEdits } from '../src/rewrite-module.ts';
import { findLoopGuardEdits } from '../src/script/guard-loops.ts';
import { transformTyped } from './transform-typed.ts';

const guard = (code: string) => applyEdits(code, findLoopGuardEdits(code));

/** Runs a script with guards. Throws after more than `most` steps. */
function run(code: string, most = 1_000): unknown {
  let steps = 0;
  Reflect.set(globalThis, '__vitrineStep', () => {
    steps += 1;
    return steps > most;
  });
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the guarded code has to run
    return new Function(guard(code))();
  } finally {
    Reflect.deleteProperty(globalThis, '__vitrineStep');
  }
}

describe('a loop guard', () => {
  it.each([
    ['for', 'for (;;);'],
    ['while', 'while (true) { 1 }'],
    ['do', 'do 1; while (true)'],
    ['for of', 'function* all() { for (;;) yield 1 }\nfor (const a of all()) a;'],
    ['a loop in a loop', 'for (;;) for (let i = 0; i < 2; i++) i;'],
    ['a label', 'outer: while (true) { while (true) continue outer; }'],
    ['a body after a comment', 'while (true) // for good )\n  1;'],
    [
      'a function that calls itself',
      'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }\nf(60);',
    ],
    [
      'an arrow that calls itself',
      'const f = (n) => { return n < 2 ? n : f(n - 1) + f(n - 2) };\nf(60);',
    ],
    ['a strict function', 'function f(n) { "use strict"; return f(n - 1) || this }\nf(1);'],
  ])('stops an infinite loop: %s', (_, code) => {
    expect(() => run(code)).toThrow('without a pause');
  });

  it.each([
    ['an if around a loop', 'let n = 0; if (n) for (;;) n++; else n = 7; return n', 7],
    [
      'what a loop declares',
      'const f = []; for (let i = 0; i < 3; i++) f.push(() => i); return f[1]()',
      1,
    ],
    [
      'break and continue',
      'let n = 0; while (true) { n++; if (n < 5) continue; break } return n',
      5,
    ],
    ['do without a semicolon', 'let n = 0\ndo n++\nwhile (n < 3)\nreturn n', 3],
    ['for in', 'let s = ""; for (const k in { a: 1, b: 2 }) s += k; return s', 'ab'],
    ['a strict function', 'function f() { "use strict"; return f && this } return f()', undefined],
  ])('keeps the meaning of a script: %s', (_, code, expected) => {
    expect(run(code)).toBe(expected);
  });

  it('keeps line numbers', () => {
    const code =
      'let a = 1;\nfor (const b of [a])\n  // why\n  a += b;\n\nwhile (a < 3) {\n  a++;\n}\n';
    const lines = (text: string) => text.split('\n').length;
    expect(lines(guard(code))).toBe(lines(code));
    expect(guard(code).split('\n')[6]).toBe('  a++;');
  });

  it('is inserted after the transform if enabled, unless a comment disables it', () => {
    const packages = { origin: '', fullExportUrls: new Set<string>() };
    const compile = (text: string, guardsLoops: boolean) => {
      const context = createModuleContext(readProjectConfig(new Map()), packages, guardsLoops);
      const source = { path: 'a.ts', text };
      return compileModule(source, context, transformTyped(source, context)).code;
    };
    const text = 'let n: number = 0;\nwhile (n < 3) n++;';
    expect(compile(text, true)).toMatch(
      /while \(n < 3\) \{if\(globalThis\.__vitrineStep\?\.\(\)\)throw .*;\s*n\+\+;\}/,
    );
    expect(compile(text, false)).not.toContain('__vitrineStep');
    expect(compile(`// vitrine: no-guard\n${text}`, true)).not.toContain('__vitrineStep');
  });
});
