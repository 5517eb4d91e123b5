import { findCodeDiagnostics } from './code-diagnostics.ts';
import { describeCompletion, listCompletions } from './completions.ts';
import { findScriptHover, findSignature } from './hover.ts';
import { listScriptQuickFixes, listOrganizeImportsEdits } from './quick-fixes.ts';
import type {
  LanguageResults,
  LanguageHandlers,
  LanguageCall,
  LanguageMethod,
} from './messages.ts';
import {
  findScriptDefinitions,
  findScriptReferences,
  findScriptRenameTarget,
  findDeclarationText,
  renameScriptSymbol,
} from './navigation.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/** The handler of each kind of request. A handler may throw if the language service does. */
export function createLanguageHandlers(context: TypeScriptContext): LanguageHandlers {
  return {
    completions: (at) => listCompletions(context, at),
    completion: (at) => describeCompletion(context, at),
    signature: (at) => findSignature(context, at),
    description: (at) => findScriptHover(context, at),
    definitions: (at) => findScriptDefinitions(context, at),
    references: (at) => findScriptReferences(context, at),
    renaming: (at) => findScriptRenameTarget(context, at),
    rename: (at) => renameScriptSymbol(context, at),
    fixes: (at) => listScriptQuickFixes(context, at),
    imports: (at) => listOrganizeImportsEdits(context, at),
    problems: (at) => findCodeDiagnostics(context, at),
    source: (at) => findDeclarationText(context, at),
  };
}

/** Calls the handler of a request. */
export function handleLanguageCall<K extends LanguageMethod>(
  handlers: LanguageHandlers<K>,
  { kind, at }: LanguageCall<K>,
): LanguageResults[K] {
  return handlers[kind](at);
}
