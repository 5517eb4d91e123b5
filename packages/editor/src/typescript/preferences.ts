import ts from 'typescript';

const preferences: ts.UserPreferences = {
  includeCompletionsForModuleExports: true,
  includeCompletionsForImportStatements: true,
  includeCompletionsWithInsertText: true,
  includeCompletionsWithObjectLiteralMethodSnippets: false,
  useLabelDetailsInCompletionEntries: true,
  allowIncompleteCompletions: false,
  importModuleSpecifierPreference: 'shortest',
};

/** How completions and edits of a file are to be made: with the quotes of its other imports. */
export function preferencesFor({ text }: ts.SourceFile): ts.UserPreferences {
  const isDouble = /(?:from|import|require\()\s*"/.test(text);
  return { ...preferences, quotePreference: isDouble ? 'double' : 'single' };
}

/** As the editor indents. */
export const format: ts.FormatCodeSettings = {
  ...ts.getDefaultFormatCodeSettings('\n'),
  indentSize: 2,
  tabSize: 2,
};
