import { jsonCases, markdownCases } from './data-cases.ts';
import { htmlCases, svelteCases, vueCases } from './markup-cases.ts';
import { jsxCases, typedCases } from './more-script-cases.ts';
import { scriptCases } from './script-cases.ts';
import { cssCases, lessCases, sassCases } from './style-cases.ts';
import type { TypingCase } from './typing-case.ts';

/** Cases by a file name of the language. */
export const typingCases: Readonly<Record<string, readonly TypingCase[]>> = {
  'a.html': htmlCases,
  'a.css': cssCases,
  'a.scss': sassCases,
  'a.less': lessCases,
  'a.js': scriptCases,
  'a.ts': [...scriptCases, ...typedCases],
  'a.jsx': [...scriptCases, ...jsxCases],
  'a.tsx': [...scriptCases, ...typedCases, ...jsxCases],
  'a.vue': vueCases,
  'a.svelte': svelteCases,
  'a.json': jsonCases,
  'a.md': markdownCases,
};
