import ts from 'typescript';
import { findCodeDiagnostics } from './code-diagnostics.ts';
import { describeCompletion, listCompletions } from './completions.ts';
import { findScriptHover, findSignature } from './hover.ts';
import { createDocumentRegistry, parseLibFiles } from './document-registry.ts';
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
import type { ProjectHost } from './project-host.ts';

/** TypeScript's language service and the project it serves. */
export interface TypeScriptContext {
  readonly host: ProjectHost;
  readonly service: ts.LanguageService;
  /**
   * The parsed source file of a project path, or of the scripts in a markup file. Undefined if
   * there is none.
   */
  findSourceFile(path: string): ts.SourceFile | undefined;
  /** Parses and binds the standard library that every project needs, one file per step. */
  parseLibFiles(): Iterable<void>;
}

/** Creates the language service of a project host. */
export function createTypeScriptContext(host: ProjectHost): TypeScriptContext {
  const documents = createDocumentRegistry();
  const service = ts.createLanguageService(host, documents);
  const find = (path: string) => service.getProgram()?.getSourceFile(host.fileNameOf(path));
  return {
    host,
    service,
    findSourceFile: find,
    parseLibFiles: () => parseLibFiles(documents, host),
  };
}

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
