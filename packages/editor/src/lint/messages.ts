/**
 * Every message between the page and the worker that checks files by rules. Both are ours and of one
 * build. Offsets count UTF-16 units from 0, lines and columns from 1.
 */
import type { WorkerAnswer, WorkerRequest } from '../asked-worker.ts';
import type { TextEdit } from '../typescript/messages.ts';

export interface LintKinds {
  /** What is wrong with a file. */
  problems: { readonly at: LintPlace; readonly answer: readonly RuleProblem[] };
  /** What mends the problems that touch a stretch of it. */
  fixes: {
    readonly at: LintPlace & { readonly from: number; readonly to: number };
    readonly answer: readonly RuleFix[];
  };
}

interface LintPlace {
  readonly path: string;
}

/** To the worker. */
export type LintRequest =
  | WorkerRequest<{ readonly [P in keyof LintKinds]: LintKinds[P] }>
  /** The names that every page has, asked of the browser that runs this one. */
  | { readonly type: 'names'; readonly names: readonly string[] };

/** From the worker. */
export type LintMessage = WorkerAnswer<{ readonly [P in keyof LintKinds]: LintKinds[P] }>;

/** What a rule says of a place. */
export interface RuleProblem {
  readonly kind: 'rule';
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly sentence: string;
  readonly severity: 'error' | 'warning';
  /** The rule’s name: `no-unused-vars`. */
  readonly rule: string;
}

/** A change that mends one, or several that mend all. Edits are in order, of the text before any. */
export interface RuleFix {
  readonly label: string;
  readonly edits: readonly TextEdit[];
}
