/** Runs compilers where `new Function` is forbidden, as in the app's worker. */
import { expect, it } from 'vitest';
import { compileFile, createModuleContext, readProjectConfig } from '../src/index.ts';

it('compiles Sass and Less, and finds their errors', async () => {
  const native = Function;
  globalThis.Function = new Proxy(native, {
    construct() {
      throw new EvalError('forbidden here');
    },
  });
  const compile = (path: string, text: string) => {
    const context = createModuleContext(readProjectConfig(new Map([[path, text]])), {
      origin: '',
      fullExportUrls: new Set(),
    });
    const parts = {
      loadTransform: () => Promise.reject(new Error('not needed')),
      loadTailwindSheets: () => Promise.reject(new Error('not needed')),
    };
    return compileFile({ path, text }, context, new Map([[path, text]]), parts);
  };
  const sass = await compile('a.scss', '$a: red;\n.a { .b & { color: $a } }');
  expect(sass.code).toContain('.b .a {');
  expect((await compile('a.scss', '.a { color: $no }')).problems).toMatchObject([{ column: 13 }]);
  expect((await compile('a.less', '@a: red;\n.a { color: @a }')).code).toContain('color: red');
  expect((await compile('a.less', '.guard when (1 { }')).problems).toMatchObject([
    { line: 1, column: 13 },
  ]);
  // All other texts stay forbidden.
  expect(() => Reflect.construct(Function, ['return 1']) as unknown).toThrow(EvalError);
  globalThis.Function = native;
});
