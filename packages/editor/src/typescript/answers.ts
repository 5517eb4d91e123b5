import ts from 'typescript';
import { findProblems } from './code-problems.ts';
import { describeCompletion, listCompletions } from './completions.ts';
import { describe, findSignature } from './descriptions.ts';
import { createDocuments, readLibraries } from './documents.ts';
import { listFixes, organiseImports } from './fixes.ts';
import type { Answered, Answers, Ask, Kind } from './messages.ts';
import { findDefinitions, findReferences, findRenaming, findSource, rename } from './places.ts';
import type { ProjectHost } from './project-host.ts';

/** TypeScript's language service and the files that it sees. */
export interface Understanding {
  readonly host: ProjectHost;
  readonly service: ts.LanguageService;
  /** The parsed file at a project's path; undefined for what is no script of it. */
  find(path: string): ts.SourceFile | undefined;
  /** Reads ahead what every project needs, a part at each step. */
  prepare(): Iterable<void>;
}

export function createUnderstanding(host: ProjectHost): Understanding {
  const documents = createDocuments();
  const service = ts.createLanguageService(host, documents);
  const find = (path: string) => service.getProgram()?.getSourceFile(host.nameOf(path));
  return { host, service, find, prepare: () => readLibraries(documents, host) };
}

/** What answers each kind of question. An answer may throw where the language service does. */
export function createAnswers(known: Understanding): Answers {
  return {
    completions: (at) => listCompletions(known, at),
    completion: (at) => describeCompletion(known, at),
    signature: (at) => findSignature(known, at),
    description: (at) => describe(known, at),
    definitions: (at) => findDefinitions(known, at),
    references: (at) => findReferences(known, at),
    renaming: (at) => findRenaming(known, at),
    rename: (at) => rename(known, at),
    fixes: (at) => listFixes(known, at),
    imports: (at) => organiseImports(known, at),
    problems: (at) => findProblems(known, at),
    source: (at) => findSource(known, at),
  };
}

export function answer<K extends Kind>(answers: Answers<K>, { kind, at }: Ask<K>): Answered[K] {
  return answers[kind](at);
}
