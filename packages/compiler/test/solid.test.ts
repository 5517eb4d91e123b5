import { applyQuickFix } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { compileFirst, origin, locationIn, locationOf } from './component-rig.ts';

const integrity = `sha512-${'a'.repeat(86)}==`;
const project = {
  'package.json': '{"dependencies":{"solid-js":"^1.9.0"}}',
  'package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { 'solid-js': '^1.9.0', react: '19' } },
      'node_modules/solid-js': { version: '1.9.19', integrity },
      'node_modules/react': { version: '19.3.1', integrity },
    },
  }),
};
const counter = `import { createSignal, type Accessor } from 'solid-js';

export function Counter(props: { start: Accessor<number> }) {
  const [count, setCount] = createSignal<number>(props.start());
  return <button onClick={() => setCount(count() + 1)}>clicked {count()}</button>;
}
`;

describe('JSX of Solid', () => {
  it('becomes templates, with the packages of the lockfile', async () => {
    const file = await compileFirst({ 'src/App.tsx': counter, ...project });
    expect(file.problems).toEqual([]);
    expect(file.code).toContain('`<button>clicked `');
    expect(file.code).toMatch(new RegExp(`from "${origin}/npm/solid-js@1\\.9\\.19~\\w+/web`));
    expect(file.code).not.toContain('Accessor');
    expect(file.missing).toEqual([]);
  });

  it('maps to the source, through both compilers', async () => {
    const file = await compileFirst({ 'src/App.tsx': counter, ...project });
    expect(locationOf(file, 'count() + 1')).toEqual(locationIn(counter, 'count() + 1'));
  });

  it('is compiled in plain scripts too, and with a setting instead of a dependency', async () => {
    const text = 'export const a = () => <p>{b()}</p>;\n';
    const config = '{"compilerOptions":{"jsx":"preserve","jsxImportSource":"solid-js"}}';
    const files = { 'package-lock.json': project['package-lock.json'], 'tsconfig.json': config };
    for (const path of ['a.js', 'a.jsx', 'a.tsx'])
      expect((await compileFirst({ [path]: text, ...files })).code).toContain('`<p>`');
  });

  it('gives way to React, and to a pragma in the file, which may also choose Solid', async () => {
    const both = { ...project, 'package.json': '{"dependencies":{"solid-js":"1","react":"19"}}' };
    const text = 'export const a = <p>hi</p>;\n';
    expect((await compileFirst({ 'a.tsx': text, ...both })).code).toContain('react@19.3.1');
    const chosen = `/** @jsxImportSource solid-js */\n${text}`;
    expect((await compileFirst({ 'a.tsx': chosen, ...both })).code).toContain('`<p>hi`');
    const other = `/** @jsxImportSource react */\n${text}`;
    expect((await compileFirst({ 'a.tsx': other, ...project })).code).toContain('react@19.3.1');
  });

  it('may be in a script with decorators', async () => {
    const text = '@log class A { view = () => <p>hi</p>; }\nexport default A;\n';
    const file = await compileFirst({ 'a.tsx': text, ...project });
    expect(file.problems).toEqual([]);
    expect(file.code).toContain('`<p>hi`');
    expect(file.code).not.toContain('@log');
  });

  it.each([
    ['const a = <p>;', 'isn’t closed', 1],
    ['\nexport const a = <p><>b</></p>;', 'Solid has no fragments inside of an element', 2],
  ])('has a problem in the source: %j', async (text, message, line) => {
    const file = await compileFirst({ 'a.tsx': text, ...project });
    expect(file.problems).toMatchObject([{ line }]);
    expect(file.problems[0]?.message).toContain(message);
  });
});

it('JSX of Inferno is a problem, whose fix makes it calls of createElement', async () => {
  const files = { 'package.json': '{"dependencies":{"inferno":"^8.2.3"}}' };
  const text = "import { render } from 'inferno';\nrender(<p>hi</p>, document.body);\n";
  const { problems } = await compileFirst({ 'a.jsx': text, ...files });
  expect(problems[0]?.message).toContain('Inferno JSX isn’t supported.');
  const [fix] = problems[0]?.fixes ?? [];
  const fixed = fix && applyQuickFix(new Map([['a.jsx', text]]), fix.edit);
  const file = await compileFirst({ 'a.jsx': fixed ?? '', ...files });
  expect(file.problems).toEqual([]);
  expect(file.code).toContain('createElement("p"');
  expect(file.missing.map(({ packageName }) => packageName)).toContain('inferno-create-element');
});
