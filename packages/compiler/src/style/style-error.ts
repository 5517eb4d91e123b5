import type { CompileDiagnostic } from '../script/check-script.ts';
import { getPosition } from '../page/instrument-html.ts';
import type { SourceMap } from '../script/transform-script.ts';

/** A compiled stylesheet. */
export interface CompiledStyle {
  css: string;
  /** Source map to the source files; undefined if the CSS is the source. */
  map: SourceMap | undefined;
  warnings?: readonly CompileDiagnostic[];
}

/** An error in a stylesheet, or in one that it imports. */
export class StyleError extends Error {
  override name = 'StyleMistake';
  readonly problem: CompileDiagnostic;
  constructor(problem: CompileDiagnostic) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Creates an error at an index of a file's text. */
export function createStyleError(
  message: string,
  path: string,
  text: string,
  index: number,
): StyleError {
  return new StyleError({ message, path, ...getPosition(text, Math.max(0, index)) });
}

/** Formats a compiler's message: "variable `@a` is undefined" → "Variable “@a” is undefined." */
export function formatStyleMessage(message: string): string {
  const [first = ''] = message.trim().split('\n');
  const plain = first.replace(/`([^`]*)`/g, '“$1”').replace(/[.\s:]+$/, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
