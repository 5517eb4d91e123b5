import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { textsOf } from '../rig/lines.ts';
import { realPackages } from '../rig/frameworks.ts';
import { lockFile } from '../rig/packages.ts';
import { compiledTransports } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const html =
  '<!doctype html><title>Start</title><main></main><script type="module" src="src/main.tsx"></script>';

const typescript = {
  'index.html': html.replace('main.tsx', 'main.ts'),
  'src/main.ts': `import type { Bird } from './bird';
import { makeBird } from './bird.js';
enum Size { Small = 3 }
const bird: Bird = makeBird('robin' satisfies string);
document.title = bird.name + Size.Small;`,
  'src/bird/index.ts': `export interface Bird { name: string }
export const makeBird = (name: string): Bird => ({ name });`,
  'src/bird.ts': `export * from './bird/index';`,
};

const elements = {
  'index.html': html,
  'package.json': '{"dependencies":{"tiny-jsx":"1.0.0"}}',
  'package-lock.json': lockFile('1.0.0'),
  'tsconfig.json': '{ /* elements */ "compilerOptions": { "jsxImportSource": "tiny-jsx", } }',
  'src/main.tsx': `import { version } from 'tiny-jsx';
import { App } from './App';
document.querySelector('main')!.append(<App name={version} />);`,
  'src/App.tsx': `interface Props { name: string }

export function App({ name }: Props) {
  return <h1 title="it">Hello {name}</h1>;
}`,
};
const solid = {
  ...realPackages('solid-js'),
  'index.html': html,
  'tsconfig.json': '{ "compilerOptions": { "jsx": "preserve", "jsxImportSource": "solid-js" } }',
  'src/main.tsx': `/* @refresh reload */
import { render } from 'solid-js/web';
import { createSignal, Show } from 'solid-js';
function Counter() {
  const [n, setN] = createSignal<number>(0);
  return <><button onClick={() => setN(n() + 1)}>clicked {n()}</button>
    <Show when={n() % 2} fallback=" even"> odd</Show></>;
}
render(() => <Counter />, document.querySelector('main')!);`,
};
const heading = `document.querySelector('h1')?.textContent`;

describe.each(compiledTransports)('languages with the $transport transport', ({ isSrcdoc }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isSrcdoc });

  it('runs TypeScript with extensionless imports', async () => {
    await run(typescript);
    await at.workspace.untilInResult('document.title', (title) => title === 'robin3');
  });

  it('runs JSX with the runtime of a package', async () => {
    await run(elements);
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 1.0.0');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('runs an edited component in a clean document', async () => {
    await run(elements);
    await at.workspace.inResult('window.before = 1');
    await at.workspace.edit({ 'src/App.tsx': elements['src/App.tsx'].replace('Hello', 'Bye') });
    await at.workspace.untilInResult(heading, (text) => text === 'Bye 1.0.0');
    expect(await at.workspace.inResult('window.before')).toBe(undefined);
  });

  it('runs Solid, whose JSX has a compiler of its own', async () => {
    const page = `document.querySelector('main')?.textContent`;
    await run(solid);
    await at.workspace.untilInResult(page, (text) => text === 'clicked 0 even');
    await at.workspace.inResult(`document.querySelector('button').click()`);
    await at.workspace.untilInResult(page, (text) => text === 'clicked 1 odd');
    await at.workspace.edit({
      'src/main.tsx': solid['src/main.tsx'].replace('clicked', 'pressed'),
    });
    await at.workspace.untilInResult(page, (text) => text === 'pressed 0 even');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('runs again with another version of a package', async () => {
    await run(elements);
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 1.0.0');
    await at.workspace.edit({ 'package-lock.json': lockFile('2.0.0') });
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 2.0.0');
  });

  it('imports JSON, whole and by name', async () => {
    await run({
      'index.html': html.replace('main.tsx', 'main.js'),
      'src/main.js': `import all, { name } from '../data/bird.json';
import same from '../data/bird.json' with { type: 'json' };
document.title = [name, all['a-b'], same.name].join();`,
      'data/bird.json': '{"name":"robin","a-b":2,"class":3}',
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'robin,2,robin');
  });

  it('runs again when JSON that it imports has changed', async () => {
    await run({
      'index.html': html.replace('main.tsx', 'main.js'),
      'src/main.js': `import { name } from './bird.json';\ndocument.title = name;`,
      'src/bird.json': '{"name":"robin"}',
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'robin');
    await at.workspace.edit({ 'src/bird.json': '{"name":"wren"}' });
    await at.workspace.untilInResult('document.title', (title) => title === 'wren');
  });

  it('imports a stylesheet, waits for it, and replaces it after an edit', async () => {
    const color = `getComputedStyle(document.querySelector('main')).color`;
    await run({
      'index.html': html.replace('main.tsx', 'main.js'),
      'src/main.js': `import './main.css';\ndocument.title = ${color};`,
      'src/main.css': '@import "base.css";',
      'src/base.css': 'main { color: rgb(1, 1, 1) }',
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'rgb(1, 1, 1)');
    await at.workspace.edit({ 'src/main.css': 'main { color: rgb(2, 2, 2) }' });
    await at.workspace.untilInResult(color, (value) => value === 'rgb(2, 2, 2)');
    expect(await at.workspace.inResult('document.title')).toBe('rgb(1, 1, 1)');
  });

  it('resolves packages for JavaScript files and inline scripts', async () => {
    await run({
      'package-lock.json': lockFile('1.0.0'),
      'index.html': `<!doctype html><script type="module" src="a.js"></script>
<script type="module">import * as tiny from 'tiny-jsx'; document.body.dataset.inline = tiny.version;</script>`,
      'a.js': `document.body.dataset.dynamic = (await import('tiny-jsx')).version;`,
    });
    const both = 'document.body?.dataset.inline + document.body?.dataset.dynamic';
    await at.workspace.untilInResult(both, (versions) => versions === '1.0.01.0.0');
  });

  it('leaves imports that the page’s import map resolves', async () => {
    await run({
      'index.html': `<!doctype html><script type="importmap">{"imports":{"bird":"./bird.js"}}</script>
<script type="module">import { name } from 'bird'; document.title = name;</script>`,
      'bird.js': `export const name = 'robin';`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'robin');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('reports the location of an error in the source file', async () => {
    const thrower = `interface Props {
  name: string;
}
type Kind = 'a' | 'b';

export function App({ name }: Props) {
  const kind: Kind = 'a'; if (name) throw new Error('broken ' + kind);
  return <h1>{name}</h1>;
}`;
    await run({ ...elements, 'src/App.tsx': thrower });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({
      kind: 'error',
      message: 'broken a',
      path: 'src/App.tsx',
      line: 7,
      column: 43,
    });
    expect(problems[0]?.stack).toContain('src/App.tsx:7:43');
    expect(problems[0]?.stack).toContain('src/main.tsx:3:');
  });

  it('keeps the last working version while a file does not compile, and reports the location', async () => {
    await run(elements);
    await at.workspace.inResult('window.before = 1');
    await at.workspace.edit({
      'src/App.tsx': 'export function App() {\n  return <h1>Hello</h2>;\n}',
    });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({ kind: 'syntax', path: 'src/App.tsx', line: 2 });
    expect(problems[0]?.message).toMatch(/h1/);
    expect(await at.workspace.inResult(`window.before + ${heading}`)).toBe('1Hello 1.0.0');
    await at.workspace.edit({ 'src/App.tsx': 'export const App = () => <h1>Good</h1>;' });
    await at.workspace.untilInResult(heading, (text) => text === 'Good');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('reports the error of a file that never compiled once', async () => {
    await run({ ...typescript, 'src/bird.ts': 'export const a: number = ;' });
    const { problems, lines } = await at.workspace.seenUntil(
      (seen) => seen.problems.length > 0 && seen.lines.length > 0,
    );
    expect(textsOf(lines)).toEqual(['Uncaught SyntaxError: Missing value between “=” and “;”.']);
    expect(lines[0]).toMatchObject({ path: 'src/bird.ts', line: 1, column: 26 });
    expect(problems).toMatchObject([
      {
        kind: 'syntax',
        path: 'src/bird.ts',
        line: 1,
        column: 26,
        message: 'Missing value between “=” and “;”.',
      },
    ]);
  });

  it('reports no error of the version that runs while the newest one of its file lacks an import', async () => {
    await run({ ...typescript, 'src/main.ts': 'late.name;' });
    await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    await at.workspace.edit({ 'src/main.ts': `import late from './late';\nlate.name;` });
    const { problems } = await at.workspace.seenUntil((seen) =>
      seen.problems.some(({ kind }) => kind === 'resource'),
    );
    expect(problems).toMatchObject([{ message: 'Can’t find “./late”.', line: 1 }]);
  });

  it('reports an import of a path that its package does not have, at the import', async () => {
    await run({ ...elements, 'src/App.tsx': `\nimport none from 'tiny-jsx/none';\nnone();` });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      {
        path: 'src/App.tsx',
        line: 2,
        column: 19,
        message: 'Can’t find “tiny-jsx/none” in the package “tiny-jsx”.',
      },
    ]);
  });

  it('reports such an import in an edit of a running page', async () => {
    await run(elements);
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 1.0.0');
    await at.workspace.edit({
      'src/App.tsx': `import none from 'tiny-jsx/none';\n${elements['src/App.tsx']}\nnone();`,
    });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      { path: 'src/App.tsx', line: 1, column: 19, message: expect.any(String) },
    ]);
    expect(problems[0]?.message).toContain('tiny-jsx/none');
  });

  it('reports a missing package, and runs once it is installed', async () => {
    const { 'package-lock.json': lock, ...rest } = elements;
    await run({ ...rest, 'src/main.tsx': 'document.title = "before"', 'src/App.tsx': '' });
    await at.workspace.untilInResult('document.title', (title) => title === 'before');
    await at.workspace.edit({ 'src/App.tsx': elements['src/App.tsx'] });
    await at.workspace.edit({ 'src/main.tsx': elements['src/main.tsx'] });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      {
        kind: 'package',
        code: 'package_missing',
        packageName: 'tiny-jsx',
        message: '“tiny-jsx” isn’t installed.',
      },
    ]);
    expect(await at.workspace.inResult('document.title')).toBe('before');
    await at.workspace.edit({ 'package-lock.json': lock });
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 1.0.0');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('reports a missing file at its import, and runs once it exists', async () => {
    await run({ ...typescript, 'src/main.ts': 'document.title = "before"' });
    await at.workspace.edit({
      'src/main.ts': `\nimport { name } from './late';\ndocument.title = name;`,
    });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      { message: 'Can’t find “./late”.', path: 'src/main.ts', line: 2 },
    ]);
    expect(await at.workspace.inResult('document.title')).toBe('before');
    await at.workspace.edit({ 'src/late.ts': `export const name: string = 'late';` });
    await at.workspace.untilInResult('document.title', (title) => title === 'late');
  });
});

describe('languages with the isolated-origin transport', () => {
  const save = (files: Record<string, string>) => {
    const slug = `savedsave${at.rig.projects.size}`;
    at.rig.projects.set(slug, {
      id: slug,
      slug,
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(files)),
    });
    return { files, key: `edit--${slug}`, served: { revision: 1 } };
  };

  it('shows a saved project as the server compiled it, then updates it with edits', async () => {
    await at.workspace.run(save(elements));
    await at.workspace.untilInResult(heading, (text) => text === 'Hello 1.0.0');
    await at.workspace.edit({ 'src/App.tsx': elements['src/App.tsx'].replace('Hello', 'Bye') });
    await at.workspace.untilInResult(heading, (text) => text === 'Bye 1.0.0');
  });

  it('applies an edit made while the page is still loading', async () => {
    await at.workspace.start(save(typescript));
    await at.workspace.edit({ 'src/main.ts': `document.title = 'early' satisfies string;` });
    await at.workspace.untilInResult('document.title', (title) => title === 'early');
    await at.workspace.reach('running');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('reports the location of an error in code that the server compiled', async () => {
    const main = `type Name = string;\n\nconst name: Name = 'robin'; console.log(name); missing();`;
    await at.workspace.run(save({ ...typescript, 'src/main.ts': main }));
    const { problems, lines } = await at.workspace.seenUntil(
      (seen) => seen.problems.length > 0 && seen.lines.length > 0,
    );
    expect(problems[0]).toMatchObject({ path: 'src/main.ts', line: 3, column: 48 });
    expect(lines[0]).toMatchObject({ path: 'src/main.ts', line: 3, column: 37 });
  });

  it.each([{ from: 'the server' }, { from: 'the service worker' }])(
    'P-15 gives the source from $from to whoever reads it, and its code to whoever runs it',
    async ({ from }) => {
      const isServer = from === 'the server';
      const main = `const source = await (await fetch('/src/main.ts')).text();
const own: string = import.meta.url;
const { name } = await import('./bird');
document.title = [source.includes(': string ='), name, new URL(own).pathname].join();`;
      const files = {
        ...typescript,
        'src/main.ts': main,
        'src/bird.ts': `export const name: string = 'robin';`,
      };
      await at.workspace.run(isServer ? save(files) : { files });
      await at.workspace.untilInResult(
        'document.title',
        (title) => title === 'true,robin,/src/main.ts',
      );
    },
  );

  it('reports that the compiler failed to load, and recovers with the next edit', async () => {
    // In a page that has not loaded the compiler yet.
    await at.workspace.open();
    at.rig.tamper = (address, response) =>
      address.pathname.endsWith('.wasm') ? new Response('', { status: 503 }) : response;
    await at.workspace.run({ files: typescript });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]?.message).toMatch(/^Couldn’t compile this file: .* 503$/);
    at.rig.tamper = undefined;
    await at.page.evaluate('preview.run()');
    await at.workspace.untilInResult('document.title', (title) => title === 'robin3');
    await at.workspace.seenUntil((seen) => seen.problems.length === 0);
  });

  it('runs a module worker that is written in TypeScript', async () => {
    await at.workspace.run({
      files: {
        ...typescript,
        'src/main.ts': `const worker = new Worker('/src/work.ts', { type: 'module' });
worker.onmessage = ({ data }: MessageEvent<string>) => { document.title = data; };`,
        'src/work.ts': `import { word } from './word';\npostMessage(word as string);`,
        'src/word.ts': `export const word: string = 'worked';`,
      },
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'worked');
  });
});
