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

/** Preferences for completions and edits of a file: with the quotes of its existing imports. */
export function getUserPreferences({ text }: ts.SourceFile): ts.UserPreferences {
  const isDouble = /(?:from|import|require\()\s*"/.test(text);
  return { ...preferences, quotePreference: isDouble ? 'double' : 'single' };
}

/** Format settings that match the editor's indentation. */
export const formatSettings: ts.FormatCodeSettings = {
  ...ts.getDefaultFormatCodeSettings('\n'),
  indentSize: 2,
  tabSize: 2,
};
