/** Runs the style compilers in a process that forbids `new Function`, as the app's worker does. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { CompiledFile } from '../src/index.ts';

const script = `
  const [source, ...files] = process.argv.slice(1);
  const { compileFile, createModuleContext, readProjectConfig } = await import(source);
  const compiled = [];
  for (const [path, text] of files.map((file) => JSON.parse(file))) {
    const texts = new Map([[path, text]]);
    const options = { origin: '', fullExportUrls: new Set() };
    const context = createModuleContext(readProjectConfig(texts), options);
    compiled.push(await compileFile({ path, text }, context, texts, {}));
  }
  let rejected = '';
  try { new Function('return 1') } catch (error) { rejected = error.name }
  console.log(JSON.stringify({ compiled, rejected }));
`;

it.each([
  ['Sass', 'a.scss', '$a: red;\n.a { .b & { color: $a } }', '.b .a {', '.a { color: $no }'],
  ['Less', 'a.less', '@a: red;\n.a { color: @a }', 'color: red', '.guard when (1 { }'],
])('compiles %s, and finds its errors', (_language, path, text, output, mistaken) => {
  const printed = execFileSync(process.execPath, [
    '--disallow-code-generation-from-strings',
    '--input-type=module',
    '--eval',
    script,
    new URL('../src/index.ts', import.meta.url).href,
    ...[text, mistaken].map((each) => JSON.stringify([path, each])),
  ]);
  const { compiled, rejected } = JSON.parse(printed.toString()) as {
    compiled: CompiledFile[];
    rejected: string;
  };
  expect(compiled).toMatchObject([
    { code: expect.stringContaining(output) as string, problems: [] },
    { problems: [{ line: 1, column: 13 }] },
  ]);
  // All other texts stay forbidden.
  expect(rejected).toBe('EvalError');
});
