import { expect, it } from 'vitest';
import { compileFirst } from './component-rig.ts';

const own = '{"compilerOptions":{"experimentalDecorators":true}}';

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
  const { code = '', missing } = await compileFirst({ 'a.ts': text, 'tsconfig.json': own });
  expect(missing).toEqual([]);
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default: unknown;
  };
  expect(module.default).toEqual(['field3 parameter3 method3 class1', 'wrapped old']);
});

it('assigns class fields if tsconfig.json says so', async () => {
  const code = async (settings: string, text: string) =>
    (await compileFirst({ 'a.ts': text, 'tsconfig.json': settings })).code ?? '';
  const assigning = '{"compilerOptions":{"useDefineForClassFields":false}}';
  const fields = 'class A { typed?: string; set = 1; #own = 2; }';
  expect(await code('{}', fields)).toMatch(/typed;\s+set = 1;/);
  expect(await code(assigning, fields)).not.toContain('typed');
  expect(await code(assigning, fields)).toMatch(/this\.set = 1;[^]*this\.#own = 2;/);
  expect(await code(assigning, `${fields} function f() { using a = b; }`)).toContain('using a = b');
});
