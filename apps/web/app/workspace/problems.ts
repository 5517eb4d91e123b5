import type { Problem } from '@vitrine/sandbox/host';
import type { CodePlace } from './code-place.ts';

/** One press that mends a problem. */
export interface Remedy {
  readonly label: string;
  run(): void;
}

/** Something to be told about a place in the code: what is wrong, or (a notice) could be better. */
export interface ListedProblem extends CodePlace {
  /** `type`: what TypeScript says of code that may well run. */
  readonly kind: Problem['kind'] | 'notice' | 'type';
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly sentence: string;
  readonly severity?: 'warning';
  /** The likeliest first. */
  readonly remedies?: readonly Remedy[];
}

/** How much it matters: an error keeps something from running, or is one of types. */
export function severityOf({ kind, severity }: ListedProblem): 'error' | 'warning' | 'info' {
  return kind === 'notice' ? 'info' : (severity ?? 'error');
}
