/** Projects of Vite while they are edited: what a file is compiled with may be another file. */
import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { lockFile } from './rig/packages.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const page = `<!doctype html><title>%VITE_TITLE%</title><p></p>
<script type="module" src="/src/main.ts"></script>`;
const text = `document.querySelector('p')?.textContent`;

const project = {
  'index.html': page,
  '.env': 'VITE_TITLE=First',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "#lib": ["./src/a.ts"] } } }',
  'src/a.ts': `export const name: string = 'a';`,
  'src/b.ts': `export const name: string = 'b';`,
  'src/posts/one.md': 'one',
  'src/style.css': 'p { color: red }',
  'src/main.ts': `import { name } from '#lib';
import css from './style.css?inline';
const posts = import.meta.glob('./posts/*.md', { query: '?raw', eager: true, import: 'default' });
document.querySelector('p')!.textContent = [
  import.meta.env.VITE_TITLE, name, Object.keys(posts), Object.values(posts), css,
].join(' ');`,
};

describe.each(bothTransports)('an edit with the $transport transport', ({ isSrcdoc }) => {
  const shows = (expected: string) =>
    at.workspace.untilInResult(text, (shown) => shown === expected);

  it('changes the environment, aliases, globs and texts of other files', async () => {
    await at.workspace.run({ files: project, isSrcdoc });
    const rest = './posts/one.md one p { color: red }';
    await shows(`First a ${rest}`);
    await at.workspace.edit({ '.env': 'VITE_TITLE=Second' });
    await shows(`Second a ${rest}`);
    await at.workspace.untilInResult('document.title', (title) => title === 'Second');
    await at.workspace.edit({ '.env.local': 'VITE_TITLE=Third' });
    await shows(`Third a ${rest}`);
    await at.workspace.edit({ 'tsconfig.json': project['tsconfig.json'].replace('a.ts', 'b.ts') });
    await shows(`Third b ${rest}`);
    await at.workspace.edit({ 'src/posts/two.md': 'two' });
    await shows('Third b ./posts/one.md,./posts/two.md one,two p { color: red }');
    await at.workspace.edit({ 'src/posts/two.md': 'three' });
    await shows('Third b ./posts/one.md,./posts/two.md one,three p { color: red }');
    await at.workspace.edit({ 'src/style.css': 'p { color: blue }' });
    await shows('Third b ./posts/one.md,./posts/two.md one,three p { color: blue }');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('changes a file in public', async () => {
    const files = {
      'index.html': '<!doctype html><title>A</title><link rel="stylesheet" href="/a.css"><p>A</p>',
      'public/a.css': 'p { color: rgb(1, 2, 3) }',
    };
    const color = `getComputedStyle(document.querySelector('p')).color`;
    const hasColor = (expected: string) =>
      at.workspace.untilInResult(color, (shown) => shown === expected);
    await at.workspace.run({ files, isSrcdoc });
    await hasColor('rgb(1, 2, 3)');
    await at.workspace.edit({ 'public/a.css': 'p { color: rgb(4, 5, 6) }' });
    await hasColor('rgb(4, 5, 6)');
    await at.workspace.edit({ 'a.css': 'p { color: rgb(7, 8, 9) }' });
    await hasColor('rgb(7, 8, 9)');
  });

  it('changes the modules of a page whose script rollup would build', async () => {
    const files = {
      'public/index.html': `<!doctype html><title>A</title>
<link rel="stylesheet" href="/build/bundle.css">
<script defer src="/build/bundle.js"></script>
<body><p></p></body>`,
      'rollup.config.js': `import css from 'rollup-plugin-css-only';
export default { input: 'src/main.js', output: { format: 'iife', file: 'public/build/bundle.js' },
  plugins: [css({ output: 'bundle.css' })] };`,
      'src/main.js': `import './a.css';\nimport { name } from './name';
document.querySelector('p').textContent = name;`,
      'src/name.js': `export const name = 'one';`,
      'src/a.css': 'p { color: red }',
    };
    await at.workspace.run({ files, isSrcdoc });
    await shows('one');
    await at.workspace.edit({ 'src/name.js': `export const name = 'two';` });
    await shows('two');
    expect((await at.workspace.seen()).problems).toEqual([]);
    await at.workspace.edit({ 'rollup.config.js': 'export default {};' });
    await at.workspace.seenUntil(
      ({ problems }) =>
        problems.some(({ path, line, message }) =>
          `${path}:${line} ${message}`.startsWith(
            'public/index.html:3 Can’t find “build/bundle.js”.',
          ),
        ),
      'a missing bundle',
    );
  });

  it('runs a classic script and the styles of a package in node_modules', async () => {
    const files = {
      'index.html': `<!doctype html><title>A</title><p></p>
<script src="node_modules/tiny-jsx/classic.js"></script>
<script>document.querySelector('p').textContent = globalThis.classic ?? 'none';</script>`,
    };
    await at.workspace.run({ files, isSrcdoc });
    await shows('none');
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      { kind: 'package', packageName: 'tiny-jsx', path: 'index.html', line: 2 },
    ]);
    await at.workspace.edit({ 'package-lock.json': lockFile('1.0.0') });
    await shows('classic 1.0.0');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('changes the page of create-react-app', async () => {
    const files = {
      'public/index.html': '<!doctype html><title>%REACT_APP_A%</title><body><p></p></body>',
      '.env': 'REACT_APP_A=one',
      'src/index.js': `document.querySelector('p').textContent = process.env.REACT_APP_A + 1;`,
    };
    await at.workspace.run({ files, isSrcdoc });
    await shows('one1');
    await at.workspace.edit({ 'src/index.js': files['src/index.js'].replace('1', '2') });
    await shows('one2');
    await at.workspace.edit({ '.env': 'REACT_APP_A=two' });
    await shows('two2');
    await at.workspace.edit({ 'public/index.html': '<!doctype html><body><p></p><b>b</b></body>' });
    await at.workspace.untilInResult(`document.querySelector('b')?.textContent`, (b) => b === 'b');
    if (!isSrcdoc) expect(await at.workspace.inResult('location.pathname')).toBe('/');
  });
});

it('an edit changes a worker and what it imports', async () => {
  const files = {
    'index.html': page,
    'src/main.ts': `import W from './work?worker';
new W().onmessage = ({ data }) => { document.querySelector('p')!.textContent = data; };`,
    'src/work.ts': `import { part } from '@/part';\npostMessage('one ' + part);`,
    'src/part.ts': `export const part: string = 'a';`,
  };
  const shows = (expected: string) =>
    at.workspace.untilInResult(text, (shown) => shown === expected);
  await at.workspace.run({ files });
  await shows('one a');
  await at.workspace.edit({ 'src/work.ts': files['src/work.ts'].replace('one', 'two') });
  await shows('two a');
  await at.workspace.edit({ 'src/part.ts': `export const part: string = 'b';` });
  await shows('two b');
});
