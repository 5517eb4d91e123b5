import { describe, expect, it } from 'vitest';
import { needsCompiling } from '../src/index.ts';
import { mayHaveDecorators } from '../src/script/decorators.ts';
import { compileFirst, locationIn, locationOf } from './component-rig.ts';

async function run(code: string | undefined): Promise<unknown> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(code ?? '')}`)) as {
    default: unknown;
  };
  return module.default;
}

const typed = `const said: string[] = [];
const say = (word: string) => (_value: unknown, { kind, name }: DecoratorContext): void => {
  said.push([word, kind, name].join(' '));
};
@say('a') class A<T> {
  @say('b') field?: T;
  @say('c') accessor size: number = 4;
  @say('d') static grow(by: number): void { throw new Error('grown ' + by); }
  constructor(private word = 'word') {}
  tell() { return this.word + this.size; }
}
export default [...said, new A().tell()];
export { A };
`;

describe('standard decorators', () => {
  it.each(['a.ts', 'a.tsx'])('run as specified, in %s', async (path) => {
    const { code, problems } = await compileFirst({ [path]: typed });
    expect(problems).toEqual([]);
    expect(await run(code)).toEqual([
      'd method grow',
      'c accessor size',
      'b field field',
      'a class A',
      'word4',
    ]);
  });

  it('run in a plain script, with accessor fields', async () => {
    const text = `const twice = (_, { name }) => (value) => value * 2;
export default new (class { accessor a = 1; @twice b = 2; })().b;`;
    const { code, problems } = await compileFirst({ 'a.js': text });
    expect(problems).toEqual([]);
    expect(await run(code)).toBe(4);
  });

  it('keep all positions mapped', async () => {
    const made = await compileFirst({ 'src/a.ts': typed });
    expect(locationOf(made, 'new Error')).toEqual(locationIn(typed, 'new Error'));
    expect(locationOf(made, 'said.push')).toEqual(locationIn(typed, 'said.push'));
    expect(made.map?.sources).toEqual(['a.ts']);
    expect(made.map?.sourcesContent).toEqual([typed]);
  });

  it('work with fields that tsconfig.json makes assigned', async () => {
    const tsconfig = '{"compilerOptions":{"useDefineForClassFields":false}}';
    const text = `let count = 0;
const seen = (_: unknown, c: ClassFieldDecoratorContext): void => { count += 1; };
class A { @seen declared?: string; }
export default count;`;
    const { code } = await compileFirst({ 'a.ts': text, 'tsconfig.json': tsconfig });
    expect(await run(code)).toBe(1);
  });

  it('are not suspected in what JSX becomes', () => {
    expect(mayHaveDecorators('/* @__PURE__ */ jsx("p", {})')).toBe(false);
    expect(mayHaveDecorators('/* @__PURE__ */ @log class A {}')).toBe(true);
  });

  it('are found only where the syntax allows them', async () => {
    const plain = `const address = 'me@example.org'; // @private\nlet accessor = 1;\n`;
    expect((await compileFirst({ 'a.js': plain })).code).toBeUndefined();
    const context = { exists: () => true, mapped: [], bundles: [] };
    expect(needsCompiling({ path: 'a.js', text: '@log class A {}' }, context)).toBe(true);
  });

  it.each([
    ['a.ts', 'const log: any = 0;\nclass A { m(@log a: 1) {} }', 2, 13, /experimentalDecorators/],
    ['a.js', 'class A {\n  @log constructor() {}\n}', 2, 3, /^Constructors can’t have decorators/],
    ['a.js', 'const log = 0;\n@log let a = 1;', 2, 6, /^Decorators can only be used on classes/],
    ['a.js', 'const log = 0;\n@log class { }', 2, 12, /^A class name is required\.$/],
    ['a.js', 'class A { @a\n@ b() {} }', 2, 7, /^Unexpected “\{”\.$/],
  ] as const)(
    'are reported when misplaced, in %s: %j',
    async (path, text, line, column, message) => {
      const { problems } = await compileFirst({ [path]: text });
      expect(problems).toMatchObject([{ line, column }]);
      expect(problems[0]?.message).toMatch(message);
    },
  );
});
