import ts from 'typescript';
import { conventionalPaths } from './compiler-options.ts';

const preferences: ts.UserPreferences = {
  includeCompletionsForModuleExports: true,
  includeCompletionsForImportStatements: true,
  includeCompletionsWithInsertText: true,
  includeCompletionsWithObjectLiteralMethodSnippets: false,
  useLabelDetailsInCompletionEntries: true,
  allowIncompleteCompletions: false,
};

/**
 * Preferences for completions and edits of a file: with the quotes of its existing imports, and with
 * aliases only if the project configures some, so that it runs elsewhere too.
 */
export function getUserPreferences(
  { text }: ts.SourceFile,
  options: ts.CompilerOptions,
): ts.UserPreferences {
  const isDouble = /(?:from|import|require\()\s*"/.test(text);
  return {
    ...preferences,
    quotePreference: isDouble ? 'double' : 'single',
    importModuleSpecifierPreference: options.paths === conventionalPaths ? 'relative' : 'shortest',
  };
}

/** Format settings that match the editor's indentation. */
export const formatSettings: ts.FormatCodeSettings = {
  ...ts.getDefaultFormatCodeSettings('\n'),
  indentSize: 2,
  tabSize: 2,
};
