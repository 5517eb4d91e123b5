import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { html as htmlSupport, htmlLanguage } from '@codemirror/lang-html';
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { closeRawTags } from '../closing-tags.ts';
import type { ProjectNames } from '../languages.ts';
import { completeGlobals } from './javascript-names.ts';
import { classNames, idNames, toOptions } from './style-names.ts';

/** HTML with the CSS and JavaScript inside it; completes the project's classes, ids and paths too. */
export function html(names: ProjectNames): Extension {
  return [
    htmlSupport(),
    closeRawTags,
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
    const word = context.matchBefore(/[^\s"'=<>]*/);
    const attribute = context.state.sliceDoc(name.from, name.to).toLowerCase();
    // The word that is being written is among the project's names by now, and no help.
    const options = optionsFor(attribute, names)?.filter(({ label }) => label !== word?.text);
    return options && word ? { from: word.from, options, validFor: /^[^\s"'=<>]*$/ } : null;
  };
}

function optionsFor(attribute: string, names: ProjectNames) {
  if (attribute === 'class') return toOptions(classNames(names.texts()), 'class');
  if (['id', 'for', 'aria-labelledby', 'aria-describedby', 'aria-controls'].includes(attribute)) {
    return toOptions(idNames(names.texts()), 'constant');
  }
  if (attribute === 'src' || attribute === 'href') return toOptions(names.paths(), 'text');
  return undefined;
}
