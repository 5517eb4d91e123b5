import { expect, it } from 'vitest';
import { compileModule } from '../src/compile-module.ts';
import { createModuleContext, readFacts } from '../src/index.ts';
import { transformScript } from '../src/native.ts';

it('runs decorators of classes, members and parameters in the order of TypeScript', async () => {
  const text = `const said: string[] = [];
const say = (word: string) => (...args: unknown[]): void => { said.push(word + args.length); };
const wrap = (target: object, name: string, descriptor: PropertyDescriptor) =>
  ({ ...descriptor, value: () => 'wrapped ' + descriptor.value() });
@say('class') class A {
  @say('field') field = 1;
  @say('method') method(@say('parameter') a: number) { return a; }
  @wrap old() { return 'old'; }
}
export default [said.join(' '), new A().old()];`;
  const context = createModuleContext(readFacts(new Map()), {
    origin: '',
    plainAddresses: new Set(),
  });
  const { code = '', missing } = compileModule({ path: 'a.ts', text }, context, transformScript);
  expect(missing).toEqual([]);
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default: unknown;
  };
  expect(module.default).toEqual(['field3 parameter3 method3 class1', 'wrapped old']);
});

it('assigns class fields where tsconfig.json says so', () => {
  const code = (settings: string, text: string) => {
    const facts = readFacts(new Map([['tsconfig.json', settings]]));
    const context = createModuleContext(facts, { origin: '', plainAddresses: new Set() });
    return compileModule({ path: 'a.ts', text }, context, transformScript).code ?? '';
  };
  const assigning = '{"compilerOptions":{"useDefineForClassFields":false}}';
  const fields = 'class A { typed?: string; set = 1; #own = 2; }';
  expect(code('{}', fields)).toMatch(/typed;\s+set = 1;/);
  expect(code(assigning, fields)).not.toContain('typed');
  expect(code(assigning, fields)).toMatch(/this\.set = 1;[^]*this\.#own = 2;/);
  expect(code(assigning, `${fields} function f() { using a = b; }`)).toContain('using a = b');
});

it.each([
  ['a.ts', '{}', 'function log(value: unknown, context: ClassMethodDecoratorContext) {}', 1, 39],
  ['a.js', '{}', 'const a = 1;\n@log class A {}', 2, 1],
])(
  'says of decorators of the standard, in %s, that they do not run',
  (path, tsconfig, text, line, column) => {
    const files = new Map([['tsconfig.json', tsconfig]]);
    const context = createModuleContext(readFacts(files), {
      origin: '',
      plainAddresses: new Set(),
    });
    const { problems } = compileModule({ path, text }, context, transformScript);
    expect(problems).toMatchObject([{ line, column }]);
    expect(problems[0]?.sentence).toMatch(/^Decorators of the standard are not translated/);
  },
);

it('takes a project at its word that its decorators are TypeScript’s own', () => {
  const text =
    'export type A = ClassMethodDecoratorContext;\nexport const f = (a: 1, c: DecoratorContext) => c;';
  const tsconfig = '{"compilerOptions":{"experimentalDecorators":true}}';
  const context = createModuleContext(readFacts(new Map([['tsconfig.json', tsconfig]])), {
    origin: '',
    plainAddresses: new Set(),
  });
  expect(compileModule({ path: 'a.ts', text }, context, transformScript).problems).toEqual([]);
});
