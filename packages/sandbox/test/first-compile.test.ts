import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const page = (head: string, body: string) =>
  `<!doctype html><html><head><title>Shop</title>${head}</head><body><h1>Shop</h1>${body}</body></html>`;

/** Files whose first version has an error, and the one diagnostic of each. */
const mistakes: {
  what: string;
  files: Record<string, string>;
  path: string;
  only?: 'isolated-origin';
}[] = [
  {
    what: 'a Sass stylesheet',
    files: {
      'index.html': page('<link rel="stylesheet" href="main.scss">', ''),
      'main.scss': '$a: 1px\n.x { color: red; }',
    },
    path: 'main.scss',
  },
  {
    what: 'a Less stylesheet in a folder',
    files: {
      'index.html': page('<link rel="stylesheet" href="css/main.less">', ''),
      'css/main.less': 'h1 { color: @nothing }',
    },
    path: 'css/main.less',
  },
  {
    what: 'a stylesheet that a script imports',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import './main.scss';`,
      'main.scss': 'h1 { color: $nothing }',
    },
    path: 'main.scss',
  },
  {
    what: 'a CSS module',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import styles from './main.module.scss';\nconsole.log(styles);`,
      'main.module.scss': '.a { color: $nothing }',
    },
    path: 'main.module.scss',
  },
  {
    what: 'a script in TypeScript',
    files: {
      'index.html': page('', '<script type="module" src="main.ts"></script>'),
      'main.ts': 'const a: number = ;',
    },
    path: 'main.ts',
  },
  {
    what: 'a module in JSX that another one imports',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import { App } from './App.jsx';\nApp();`,
      'App.jsx': '/** @jsx h */\nexport const App = () => <b>;',
    },
    path: 'App.jsx',
  },
  {
    what: 'a Vue component',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import App from './App.vue';\nconsole.log(App);`,
      'App.vue': '<template><b>{{ a b }}</b></template>',
    },
    path: 'App.vue',
  },
  {
    what: 'a Svelte component',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import App from './App.svelte';\nconsole.log(App);`,
      'App.svelte': '{#if}<b>',
    },
    path: 'App.svelte',
  },
  {
    what: 'tags that are nested too deeply',
    files: {
      'index.html': page('', '<script type="module" src="main.tsx"></script>'),
      'main.tsx': '<a>'.repeat(20_000),
    },
    path: 'main.tsx',
  },
  {
    what: 'a template that is nested too deeply',
    files: {
      'index.html': page('', '<script type="module" src="main.js"></script>'),
      'main.js': `import App from './App.vue';\nconsole.log(App);`,
      'App.vue': `<template>${'<b>'.repeat(20_000)}${'</b>'.repeat(20_000)}</template>`,
    },
    path: 'App.vue',
  },
  {
    what: 'an inline script',
    files: { 'index.html': page('', '<script>\n  let total = ;\n</script>') },
    path: 'index.html',
  },
  {
    what: 'the inline module of a page in a frame',
    files: {
      'index.html': page('', '<iframe src="child.html"></iframe>'),
      'child.html': page('', '<script type="module">const b = ;</script>'),
    },
    path: 'child.html',
  },
  {
    what: 'a worker in TypeScript',
    files: {
      'index.html': page('', `<script>new Worker('worker.ts')</script>`),
      'worker.ts': 'const a: string = ;',
    },
    path: 'worker.ts',
    only: 'isolated-origin',
  },
];

async function expectMistake(path: string): Promise<void> {
  await at.workspace.untilInResult('document.title', (title) => title === 'Shop');
  await at.workspace.seenUntil(({ problems }) => problems.length > 0);
  // Any other diagnostic would be reported before this.
  await at.workspace.untilInResult('document.readyState', (state) => state === 'complete');
  await at.workspace.inResult('console.log("done")');
  const { problems } = await at.workspace.seenUntil(({ lines }) =>
    lines.some(({ values }) => JSON.stringify(values).includes('done')),
  );
  expect(problems.map((problem) => `${problem.kind} ${problem.path}`)).toEqual([`syntax ${path}`]);
}

describe.each(bothTransports)(
  'files that never compiled, with the $transport transport',
  ({ transport, isSrcdoc }) => {
    /** Adds all files at once, as when a folder is dropped; none of them existed before. */
    const drop = async (files: Record<string, string>) => {
      await at.workspace.start({ files: { 'notes.txt': '' }, isSrcdoc });
      await at.workspace.reach('failed');
      await at.workspace.edit(files);
    };

    it.each(mistakes.filter(({ only = transport }) => only === transport))(
      'shows the page and reports only the error of $what',
      async ({ files, path }) => {
        await drop(files);
        await expectMistake(path);
        await at.workspace.start({ files, isSrcdoc });
        await expectMistake(path);
      },
    );

    it('shows the page once the error is fixed', async () => {
      await drop({
        'index.html': page('<link rel="stylesheet" href="main.scss">', ''),
        'main.scss': 'h1 { color: $red }',
      });
      await at.workspace.untilInResult('document.title', (title) => title === 'Shop');
      await at.workspace.edit({ 'main.scss': 'h1 { color: rgb(1, 2, 3) }' });
      await at.workspace.untilInResult(
        'getComputedStyle(document.querySelector("h1")).color',
        (color) => color === 'rgb(1, 2, 3)',
      );
      expect((await at.workspace.seen()).problems).toEqual([]);
    });

    it('still reports an error of another inline script of the page', async () => {
      const scripts = '<script>let a = ;</script>\n<script>missing();</script>';
      await drop({ 'index.html': page('', scripts) });
      const { problems } = await at.workspace.seenUntil(({ problems: all }) => all.length > 1);
      expect(problems.map(({ kind, line }) => `${kind} ${line}`)).toEqual(['syntax 1', 'error 2']);
    });
  },
);
