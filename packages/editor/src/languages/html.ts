import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { html as htmlSupport, htmlLanguage } from '@codemirror/lang-html';
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { closeRawTextTags } from '../tag-closing.ts';
import { completeGlobals } from './platform-globals.ts';
import {
  listClassNames,
  listElementIds,
  toCompletions,
  type ProjectNames,
} from './class-and-id-names.ts';

/** HTML with embedded CSS and JavaScript. Also completes the project's classes and ids. */
export function html(names: ProjectNames): Extension {
  return [
    htmlSupport(),
    closeRawTextTags,
    htmlLanguage.data.of({ autocomplete: completeValues(names) }),
    javascriptLanguage.data.of({ autocomplete: completeGlobals }),
  ];
}

function completeValues(names: ProjectNames) {
  return (context: CompletionContext): CompletionResult | null => {
    const value = syntaxTree(context.state).resolveInner(context.pos, -1);
    if (value.name !== 'AttributeValue' && value.name !== 'UnquotedAttributeValue') return null;
    const name = value.parent?.getChild('AttributeName');
    if (!name) return null;
    const typedWord = context.matchBefore(/[^\s"'=<>]*/);
    const attribute = context.state.sliceDoc(name.from, name.to).toLowerCase();
    // The word at the cursor is already among the project's names, and not worth offering.
    const options = optionsFor(attribute, names)?.filter(({ label }) => label !== typedWord?.text);
    return options && typedWord
      ? { from: typedWord.from, options, validFor: /^[^\s"'=<>]*$/ }
      : null;
  };
}

function optionsFor(attribute: string, names: ProjectNames) {
  if (attribute === 'class') return toCompletions(listClassNames(names.texts()), 'class');
  if (['id', 'for', 'aria-labelledby', 'aria-describedby', 'aria-controls'].includes(attribute)) {
    return toCompletions(listElementIds(names.texts()), 'constant');
  }
  return undefined;
}
