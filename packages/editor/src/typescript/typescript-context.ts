import ts from 'typescript';
import { createDocumentRegistry, parseLibFiles } from './document-registry.ts';
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
