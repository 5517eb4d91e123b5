import { describe, expect, it } from 'vitest';
import { checkModuleSyntax } from '../src/script/incremental-parse.ts';
import { parseScript } from '../src/script/parse-script.ts';

/** Statements of many kinds, long enough to be parsed incrementally. */
const long = Array.from(
  { length: 300 },
  (_, n) => `export const name${n} = (a, b) => ({ sum: a + b, label: \`line \${${n}}\` });
function call${n}() { return name${n}(${n}, /[/]${n}/.test('x')) }
call${n}()
used
go(${n})
let { part${n} = [${n}] } = { }; // of ${n}
`,
).join('');

/** Returns acorn's error message for the whole module; undefined if it parses. */
function readWhole(source: string): string | undefined {
  return messageOf(() => parseScript(source, { ecmaVersion: 'latest', sourceType: 'module' }));
}

/** Returns the error message of an edited module. */
function checkAfter(before: string, source: string): string | undefined {
  checkModuleSyntax(before);
  return messageOf(() => checkModuleSyntax(source));
}

function messageOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

const edit = (found: string, text: string) => long.replace(found, () => text);

describe('a long module after an edit', () => {
  it.each([
    ['in its first statement', edit('name0 = (a', 'name0 = (c')],
    ['in its last', edit('[299]', '[2999]')],
    ['in a comment', edit('// of 150', '// of 150 and more')],
    ['behind its end', `${long}more();`],
    ['ahead of it', `more();\n${long}`],
    ['which brings another name', edit('name150 = ', 'name1500 = ')],
  ])('still parses: %s', (_, source) => {
    expect(checkAfter(long, source)).toBe(undefined);
  });

  it.each([
    ['a name that the rest declares', edit('part150 =', 'part151 =')],
    ['a name that the rest declares, as a variable', edit('{ return name150', '{} var name2; {')],
    ['an export that the rest has', edit('call150()\n', 'call150(); export { name2 }\n')],
    ['an export of what is not there', edit('call150()\n', 'call150(); export { none }\n')],
    ['a line that goes on with the one before', edit('used\ngo(150)', '(used) = 150\ngo(150)')],
    ['a comment that swallows the rest', edit('// of 150', '/* of 150')],
    ['a template that swallows the rest', edit('// of 150', '`// of 150')],
    ['a block without an end', edit('call150()\n', '{ call150()\n')],
    ['an end without a block', edit('call150()\n', 'call150() }\n')],
  ])('has an error: %s', (_, source) => {
    const message = readWhole(source);
    expect(message).toBeDefined();
    expect(checkAfter(long, source)).toBe(message);
  });

  it('can join two statements into one', () => {
    const joined = edit('call150()\nused', 'call150() +\nused');
    expect(checkAfter(long, joined)).toBe(undefined);
    const source = joined.replace('\ngo(150)', '\n= go(150)');
    expect(checkAfter(joined, source)).toBe(readWhole(source));
    expect(readWhole(source)).toBeDefined();
  });

  it('is reused after the edit only if slashes have the same meaning there', () => {
    const before = edit('go(150)\n', 'go(150);\nof / 2\n');
    const source = before.replace('go(150);', 'go(150)');
    expect(checkAfter(before, source)).toBe(readWhole(source));
  });

  // Each edit also parses the whole module, for comparison.
  it('gets the same result as a full parse, for random edits', { timeout: 60_000 }, () => {
    const random = createRandom(7);
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
    const snippets = ['{', '}', '(', ')', '`', '/', '/*', '*/', "'", '\n', ';', '=', 'let ', ' in ']
      .concat(['async ', 'await ', 'export ', 'var name5;', 'export { name6 };', '#a', '.a', '$'])
      .concat(['class A { #a; b() { this.#a } }', '(x)', '[0]', '', '', '', ' ']);
    let source = long;
    const verdicts = { parses: 0, fails: 0 };
    for (let turn = 0; turn < 150; turn += 1) {
      const at = Math.floor(random() * source.length);
      const next = source.slice(0, at) + pick(snippets) + source.slice(at + pick([0, 0, 1, 2, 9]));
      const message = readWhole(next);
      expect(
        messageOf(() => checkModuleSyntax(next)),
        `turn ${turn}, at ${at}`,
      ).toBe(message);
      verdicts[message === undefined ? 'parses' : 'fails'] += 1;
      if (message === undefined) source = next;
    }
    expect(verdicts.parses).toBeGreaterThan(15);
    expect(verdicts.fails).toBeGreaterThan(15);
  });
});

/** A seeded random number generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
