import {
  javascript as javascriptSupport,
  javascriptLanguage,
  jsxLanguage,
  tsxLanguage,
  typescriptLanguage,
} from '@codemirror/lang-javascript';
import type { Extension } from '@codemirror/state';
import { completeGlobals } from './javascript-names.ts';

/** JavaScript, also with JSX and types; completes keywords, what is in scope, and the platform. */
export function javascript(options: { jsx?: boolean; typescript?: boolean }): () => Extension {
  const { jsx = false, typescript = false } = options;
  const language = typescript
    ? jsx
      ? tsxLanguage
      : typescriptLanguage
    : jsx
      ? jsxLanguage
      : javascriptLanguage;
  return () => [javascriptSupport(options), language.data.of({ autocomplete: completeGlobals })];
}
