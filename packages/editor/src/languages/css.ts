import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { css as cssSupport } from '@codemirror/lang-css';
import type { LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import {
  listClassNames,
  listElementIds,
  toCompletions,
  type ProjectNames,
} from './class-and-id-names.ts';

/** CSS. Also completes the project's classes and ids in selectors. */
export function css(names: ProjectNames): Extension {
  return createStyleLanguage(cssSupport(), names);
}

/** Creates a stylesheet language that also completes the project's classes and ids in selectors. */
export function createStyleLanguage(support: LanguageSupport, names: ProjectNames): Extension {
  return [support, support.language.data.of({ autocomplete: completeSelectors(names) })];
}

function completeSelectors(names: ProjectNames) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/(?<![\w)\]])[.#][\w-]*/);
    if (!word || isInsideBlock(context)) return null;
    const found = word.text.startsWith('.')
      ? listClassNames(names.texts())
      : listElementIds(names.texts());
    return { from: word.from + 1, options: toCompletions(found, 'class'), validFor: /^[\w-]*$/ };
  };
}

/** True in a value such as "a { color: #", where `#` starts a color. */
function isInsideBlock({ state, pos }: CompletionContext): boolean {
  const before = state.sliceDoc(Math.max(0, pos - 2_000), pos);
  return /:[^;{}]*$/.test(before) && before.lastIndexOf('{') > before.lastIndexOf('}');
}
