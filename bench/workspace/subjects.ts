/** A project to type in. The first line of its last file ends with the number that is typed. */
export interface Subject {
  readonly name: string;
  /** Template of the draft, and the files to replace. */
  readonly template: string;
  readonly files: Readonly<Record<string, string>>;
  /** Baseline: `told` sends the frame a message, `fresh` a new document. */
  readonly baseline: 'told' | 'fresh';
  /** Types immediately, while language services start, instead of when the page is idle. */
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
  baseline: 'told',
} as const;

export const subjects: readonly Subject[] = [
  {
    name: 'css',
    template: 'html',
    files: { 'index.html': page(heading), 'script.js': '', 'style.css': ':root { --n: 1\n}' },
    baseline: 'told',
  },
  {
    name: 'html',
    template: 'html',
    files: {
      'style.css': '',
      'script.js': '',
      'index.html': '<!doctype html><title>Bench</title><h1>Bench 1\n</h1>',
    },
    baseline: 'told',
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
    baseline: 'fresh',
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
    baseline: 'told',
  },
];
