import { expect, test } from 'vitest';
import { exceedsNestingLimit } from '../src/nesting-limit.ts';

const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);

test.each([
  ['a.js', `a = ${deep('[', ']')}`],
  ['a.ts', deep('(', '')],
  ['a.css', deep('a{', '}')],
  ['a.json', deep('{"a":', '}')],
  ['a.html', deep('<b>', '</b>')],
  ['a.html', deep('<b>text ', '')],
  ['a.jsx', `<>${deep('<b> ', '</b>')}</>`],
  ['a.md', `${'>'.repeat(10_000)} said`],
  ['a.md', deep('<b>', '</b>')],
])('rejects machine-written %s that nests too deeply', (path, text) => {
  expect(exceedsNestingLimit(path, text)).toBe(true);
});

test.each([
  ['a.js', 'f([{}]);\n'.repeat(5_000)],
  ['a.js', '<b>'.repeat(1_000)],
  ['a.html', '<p>one<br><li>two<img src="a">\n'.repeat(5_000)],
  ['a.html', '<div><span>x</span></div>'.repeat(5_000)],
  ['a.html', `<script>${'if (i<n) f();'.repeat(1_000)}</script>`],
  ['a.svg', '<path d="M0 0" />'.repeat(5_000)],
  ['a.tsx', 'const list: Array<string> = useState<number>(); <a href="b" />;\n'.repeat(1_000)],
  ['a.md', `${'-'.repeat(1_000)}\n${'- item\n'.repeat(1_000)}`],
  ['a.html', '<'.repeat(1_000_000)],
])('accepts long but flat %s', (path, text) => {
  expect(exceedsNestingLimit(path, text)).toBe(false);
});
