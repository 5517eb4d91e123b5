import { findColours, recolour } from './colours.ts';
import { Completions } from './completions.ts';
import { describe } from './descriptions.ts';
import type { MarkupAnswered, MarkupAnswers, MarkupAsk, MarkupKind } from './messages.ts';
import { findDefinitions, findReferences, findRenaming, rename } from './places.ts';
import type { Known } from './services.ts';
import { findStyleFixes, findStyleProblems } from './style-problems.ts';

/** What answers each kind of question. An answer may throw where a language service does. */
export function createAnswers(known: Known): MarkupAnswers {
  const completions = new Completions(known);
  return {
    completions: (at) => completions.list(at),
    completion: ({ name }) => completions.describe(name),
    description: (at) => describe(known, at),
    definitions: (at) => findDefinitions(known, at),
    references: (at) => findReferences(known, at),
    renaming: (at) => findRenaming(known, at),
    rename: (at) => rename(known, at),
    colours: (at) => findColours(known, at),
    recolouring: (at) => recolour(known, at),
    problems: (at) => findStyleProblems(known, at),
    fixes: (at) => findStyleFixes(known, at),
  };
}

export function answer<K extends MarkupKind>(
  answers: MarkupAnswers<K>,
  { kind, at }: MarkupAsk<K>,
): MarkupAnswered[K] | Promise<MarkupAnswered[K]> {
  return answers[kind](at);
}
