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
import { closeJsxTags } from '../tag-closing.ts';
import { hasLanguageService } from '../language-facets.ts';
import { allowEmptyJsxBraces } from './empty-jsx-braces.ts';
import { completeGlobals } from './platform-globals.ts';
import { jsxIndentation, scriptIndentation } from './script-indentation.ts';

const foldParentheses = foldNodeProp.add({ ParenthesizedExpression: foldInside });

/**
 * JavaScript, optionally with JSX and TypeScript. Completes snippets, and without a language
 * service keywords, names in scope and platform globals.
 */
export function javascript(options: { jsx?: boolean; typescript?: boolean }): () => Extension {
  const { jsx = false, typescript = false } = options;
  const baseLanguage = typescript
    ? jsx
      ? tsxLanguage
      : typescriptLanguage
    : jsx
      ? jsxLanguage
      : javascriptLanguage;
  const language = baseLanguage.configure({
    props: [jsxIndentation, foldParentheses],
    ...(jsx && allowEmptyJsxBraces(baseLanguage.parser)),
  });
  const snippetSource = completeFromList(
    (typescript ? typescriptSnippets : snippets).map(relabelForOf),
  );
  const support = new LanguageSupport(language, [
    language.data.of({ autocomplete: ifNotIn(nonCodeNodes, snippetSource) }),
    language.data.of({ autocomplete: completeWithoutService }),
    jsx ? [autoCloseTags, closeJsxTags, language.data.of({ indentOnInput: /^\s*\/?>$/ })] : [],
    scriptIndentation,
  ]);
  return () => support;
}

/**
 * CodeMirror labels every loop snippet "for"; the `for … of` loop gets the label that VS Code gives
 * it.
 */
function relabelForOf(snippet: Completion): Completion {
  const isForOf = snippet.label === 'for' && snippet.detail === 'of loop';
  return isForOf ? { ...snippet, label: 'forof', detail: 'loop over values' } : snippet;
}

/** Nodes in which snippets and keywords are not completed. */
export const nonCodeNodes = [
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

const fallbackSources: readonly CompletionSource[] = [
  localCompletionSource,
  ifNotIn(nonCodeNodes, completeFromList(keywords)),
  completeGlobals,
];

/** Completes without type information: keywords, names in the file, and platform globals. */
export async function completeWithoutTypes(
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const results = await Promise.all(fallbackSources.map((source) => source(context)));
  const nonNull = results.filter((result) => result !== null);
  const [first] = nonNull;
  if (!first) return null;
  // Sources complete the word at the cursor; results that start elsewhere are dropped.
  const sameStart = nonNull.filter(({ from }) => from === first.from);
  const options = sameStart.flatMap((result) => result.options);
  return { ...first, options: [...new Map(options.map((each) => [each.label, each])).values()] };
}

const completeWithoutService: CompletionSource = (context) =>
  context.state.facet(hasLanguageService) ? null : completeWithoutTypes(context);
