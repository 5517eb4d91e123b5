import {
  completeFromList,
  ifNotIn,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import {
  autoCloseTags,
  javascriptLanguage,
  jsxLanguage,
  localCompletionSource,
  snippets,
  tsxLanguage,
  typescriptLanguage,
  typescriptSnippets,
} from '@codemirror/lang-javascript';
import { foldInside, foldNodeProp, LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { closeMemberTags } from '../closing-tags.ts';
import { understood } from '../understood.ts';
import { readEmptyBraces } from './empty-braces.ts';
import { completeGlobals } from './javascript-names.ts';
import { jsxIndentation, scriptIndentation } from './script-indentation.ts';

const parenthesesFold = foldNodeProp.add({ ParenthesizedExpression: foldInside });

/** JavaScript, also with JSX and types; completes keywords, what is in scope, and the platform. */
export function javascript(options: { jsx?: boolean; typescript?: boolean }): () => Extension {
  const { jsx = false, typescript = false } = options;
  const plain = typescript
    ? jsx
      ? tsxLanguage
      : typescriptLanguage
    : jsx
      ? jsxLanguage
      : javascriptLanguage;
  const language = plain.configure({
    props: [jsxIndentation, parenthesesFold],
    ...(jsx && readEmptyBraces(plain.parser)),
  });
  const templates = completeFromList((typescript ? typescriptSnippets : snippets).map(nameLoop));
  const support = new LanguageSupport(language, [
    language.data.of({ autocomplete: ifNotIn(notCode, templates) }),
    language.data.of({ autocomplete: completeUnlessUnderstood }),
    jsx ? [autoCloseTags, closeMemberTags] : [],
    scriptIndentation,
  ]);
  return () => support;
}

/** Every loop is called "for": the one over values is found by the name that other editors give it. */
function nameLoop(template: Completion): Completion {
  const isOverValues = template.label === 'for' && template.detail === 'of loop';
  return isOverValues ? { ...template, label: 'forof', detail: 'each value' } : template;
}

/** Where nothing that is written in a script is meant. */
export const notCode = [
  'TemplateString',
  'String',
  'RegExp',
  'LineComment',
  'BlockComment',
  'VariableDefinition',
  'TypeDefinition',
  'Label',
  'PropertyDefinition',
  'PropertyName',
  'PrivatePropertyDefinition',
  'PrivatePropertyName',
  'JSXText',
  'JSXAttributeValue',
  'JSXOpenTag',
  'JSXCloseTag',
  'JSXSelfClosingTag',
  '.',
  '?.',
];

const keywords =
  'as async await break case class const continue debugger default delete else enum export extends false finally for from function if implements import in instanceof interface let new null of return static super switch this throw true try type typeof var void while yield'
    .split(' ')
    .map((label) => ({ label, type: 'keyword' }));

const plainSources: readonly CompletionSource[] = [
  localCompletionSource,
  ifNotIn(notCode, completeFromList(keywords)),
  completeGlobals,
];

/** Without types: keywords, what stands in the file, and the platform's names. */
export async function completePlainly(
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const all = await Promise.all(plainSources.map((source) => source(context)));
  const found = all.filter((result) => result !== null);
  const [first] = found;
  if (!first) return null;
  // Each of them completes the word at the cursor; what begins elsewhere is another one's.
  const alike = found.filter(({ from }) => from === first.from);
  const options = alike.flatMap((result) => result.options);
  return { ...first, options: [...new Map(options.map((each) => [each.label, each])).values()] };
}

const completeUnlessUnderstood: CompletionSource = (context) =>
  context.state.facet(understood) ? null : completePlainly(context);
