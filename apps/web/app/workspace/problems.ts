import type { Problem } from '@vitrine/sandbox/host';
import type { CodePlace } from './code-place.ts';

/** One press that mends a problem. */
export interface Remedy {
  readonly label: string;
  run(): void;
}

/** Something to be told about a place in the code: what is wrong, or (a notice) could be better. */
export interface ListedProblem extends CodePlace {
  /** `type`: what TypeScript says of code that may well run; `rule`: what a rule says of it. */
  readonly kind: Problem['kind'] | 'notice' | 'type' | 'rule';
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly sentence: string;
  readonly severity?: 'warning';
  /** The name of the rule that says so. */
  readonly rule?: string;
  /** The likeliest first. */
  readonly remedies?: readonly Remedy[];
}

/** How much it matters: an error keeps something from running, is one of types, or breaks a rule that matters. */
export function severityOf({ kind, severity }: ListedProblem): 'error' | 'warning' | 'info' {
  return kind === 'notice' ? 'info' : (severity ?? 'error');
}

/** True for what keeps a file from compiling: errors elsewhere may come of it. */
export function isCause(problem: ListedProblem): boolean {
  return problem.kind === 'syntax' && severityOf(problem) === 'error';
}
