import type { SyntaxProblem } from '../check-script.ts';
import { positionAt } from '../instrument-html.ts';
import type { ScriptMap } from '../transform-script.ts';

/** A compiled stylesheet. */
export interface CompiledStyle {
  css: string;
  /** Source map to the source files; undefined if the CSS is the source. */
  map: ScriptMap | undefined;
}

/** An error in a stylesheet, or in one that it imports. */
export class StyleMistake extends Error {
  override name = 'StyleMistake';
  readonly problem: SyntaxProblem;
  constructor(problem: SyntaxProblem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

/** Creates an error at an index of a file's text. */
export function mistakeAt(
  sentence: string,
  path: string,
  text: string,
  index: number,
): StyleMistake {
  return new StyleMistake({ sentence, path, ...positionAt(text, Math.max(0, index)) });
}

/** Formats a compiler's message: "variable `@a` is undefined" → "Variable “@a” is undefined." */
export function sentenceOf(message: string): string {
  const [first = ''] = message.trim().split('\n');
  const plain = first.replace(/`([^`]*)`/g, '“$1”').replace(/[.\s:]+$/, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
