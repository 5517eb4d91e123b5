import type { SyntaxProblem } from '../check-script.ts';
import { positionAt } from '../instrument-html.ts';
import type { ScriptMap } from '../transform-script.ts';

/** A stylesheet as a browser takes it. */
export interface CompiledStyle {
  css: string;
  /** To the files that it was made from; undefined where none is kept. */
  map: ScriptMap | undefined;
}

/** What is wrong with a stylesheet, or with one that it reads. */
export class StyleMistake extends Error {
  override name = 'StyleMistake';
  readonly problem: SyntaxProblem;
  constructor(problem: SyntaxProblem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

/** A mistake at an index of the text of the file `path`. */
export function mistakeAt(
  sentence: string,
  path: string,
  text: string,
  index: number,
): StyleMistake {
  return new StyleMistake({ sentence, path, ...positionAt(text, Math.max(0, index)) });
}

/** "variable @a is undefined" → "Variable “@a” is undefined." */
export function sentenceOf(message: string): string {
  const [first = ''] = message.trim().split('\n');
  const plain = first.replace(/`([^`]*)`/g, '“$1”').replace(/[.\s:]+$/, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
