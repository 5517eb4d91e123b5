import ts from 'typescript';
import { findProblems } from './code-problems.ts';
import { describeCompletion, listCompletions } from './completions.ts';
import { describe, findSignature } from './descriptions.ts';
import { createDocuments, readLibraries } from './documents.ts';
import { listFixes, organiseImports } from './fixes.ts';
import type { Answered, Answers, Ask, Kind } from './messages.ts';
import { findDefinitions, findReferences, findRenaming, findSource, rename } from './places.ts';
import type { ProjectHost } from './project-host.ts';

/** TypeScript's language service and the project it serves. */
export interface Understanding {
  readonly host: ProjectHost;
  readonly service: ts.LanguageService;
  /**
   * The parsed source file of a project path, or of the scripts in a markup file. Undefined if
   * there is none.
   */
  find(path: string): ts.SourceFile | undefined;
  /** Parses and binds the standard library that every project needs, one file per step. */
  prepare(): Iterable<void>;
}

/** Creates the language service of a project host. */
export function createUnderstanding(host: ProjectHost): Understanding {
  const documents = createDocuments();
  const service = ts.createLanguageService(host, documents);
  const find = (path: string) => service.getProgram()?.getSourceFile(host.nameOf(path));
  return { host, service, find, prepare: () => readLibraries(documents, host) };
}

/** The handler of each kind of request. A handler may throw if the language service does. */
export function createAnswers(context: Understanding): Answers {
  return {
    completions: (at) => listCompletions(context, at),
    completion: (at) => describeCompletion(context, at),
    signature: (at) => findSignature(context, at),
    description: (at) => describe(context, at),
    definitions: (at) => findDefinitions(context, at),
    references: (at) => findReferences(context, at),
    renaming: (at) => findRenaming(context, at),
    rename: (at) => rename(context, at),
    fixes: (at) => listFixes(context, at),
    imports: (at) => organiseImports(context, at),
    problems: (at) => findProblems(context, at),
    source: (at) => findSource(context, at),
  };
}

/** Calls the handler of a request. */
export function answer<K extends Kind>(answers: Answers<K>, { kind, at }: Ask<K>): Answered[K] {
  return answers[kind](at);
}
