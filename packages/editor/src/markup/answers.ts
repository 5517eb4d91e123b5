import { findColours, recolour } from './colours.ts';
import { Completions } from './completions.ts';
import { describe } from './descriptions.ts';
import type { MarkupAnswered, MarkupAnswers, MarkupAsk, MarkupKind } from './messages.ts';
import { findDefinitions, findReferences, findRenaming, rename } from './places.ts';
import type { Known } from './services.ts';
import { findStyleFixes, findStyleProblems } from './style-problems.ts';

/** The handler of each kind of request. A handler may throw if a language service does. */
export function createAnswers(context: Known): MarkupAnswers {
  const completions = new Completions(context);
  return {
    completions: (at) => completions.list(at),
    completion: ({ name }) => completions.describe(name),
    description: (at) => describe(context, at),
    definitions: (at) => findDefinitions(context, at),
    references: (at) => findReferences(context, at),
    renaming: (at) => findRenaming(context, at),
    rename: (at) => rename(context, at),
    colours: (at) => findColours(context, at),
    recolouring: (at) => recolour(context, at),
    problems: (at) => findStyleProblems(context, at),
    fixes: (at) => findStyleFixes(context, at),
  };
}

/** Calls the handler of a request. */
export function answer<K extends MarkupKind>(
  answers: MarkupAnswers<K>,
  { kind, at }: MarkupAsk<K>,
): MarkupAnswered[K] | Promise<MarkupAnswered[K]> {
  return answers[kind](at);
}
