/** What is typed, and into what. The first line of the last file ends with the number that grows. */
export interface Subject {
  readonly name: string;
  /** Where the draft begins; its files of these names get these texts. */
  readonly template: string;
  readonly files: Readonly<Record<string, string>>;
  /** `told`: a frame gets a message. `fresh`: it gets a new document. */
  readonly floor: 'told' | 'fresh';
  /** Typed at once, while what understands code loads and starts; else when all has come to rest. */
  readonly isEarly?: boolean;
}

const page = (body: string, script = 'script.js" type="module') => `<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><title>Bench</title><link rel="stylesheet" href="style.css" /></head>
<body>${body}<script src="${script}"></script></body></html>`;

const heading = '<h1>Bench 1</h1>';

const hot = {
  template: 'html',
  files: {
    'index.html': page(heading),
    'style.css': '',
    'script.js': `const n = 1
document.documentElement.dataset.n = String(n);
document.querySelector('h1').dataset.state ??= String(Math.random());
import.meta.hot?.accept();
`,
  },
  floor: 'told',
} as const;

export const subjects: readonly Subject[] = [
  {
    name: 'css',
    template: 'html',
    files: { 'index.html': page(heading), 'script.js': '', 'style.css': ':root { --n: 1\n}' },
    floor: 'told',
  },
  {
    name: 'html',
    template: 'html',
    files: {
      'style.css': '',
      'script.js': '',
      'index.html': '<!doctype html><title>Bench</title><h1>Bench 1\n</h1>',
    },
    floor: 'told',
  },
  { name: 'js-hot', ...hot },
  { name: 'js-hot-early', ...hot, isEarly: true },
  {
    name: 'js-reload',
    template: 'html',
    files: {
      'index.html': page(heading, 'script.js'),
      'style.css': '',
      'script.js': 'const n = 1\ndocument.documentElement.dataset.n = String(n);\n',
    },
    floor: 'fresh',
  },
  {
    name: 'react',
    template: 'react',
    files: {
      'App.tsx': `const n = 1
import { useState } from 'react';

export function App() {
  const [state] = useState(() => String(Math.random()));
  return <h1 data-state={state}>Bench {n}</h1>;
}
`,
    },
    floor: 'told',
  },
];
