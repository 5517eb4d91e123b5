/**
 * Every message between the page and the worker that checks files by rules. Both are ours and of one
 * build. Offsets count UTF-16 units from 0, lines and columns from 1.
 */
import type { TextEdit } from '../typescript/messages.ts';

/** To the worker. */
export type LintRequest =
  /** The project's texts, against what was sent before. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  /** The names that every page has, asked of the browser that runs this one. */
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'ask'; readonly id: number; readonly ask: LintAsk };

/** From the worker. */
export type LintMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: LintAnswered[LintKind] }
  /** A rule threw. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** What is asked, by kind. */
export interface LintAsked {
  /** What is wrong with a file. */
  problems: { readonly path: string };
  /** What mends the problems that touch a stretch of it. */
  fixes: { readonly path: string; readonly from: number; readonly to: number };
}

/** What is answered, by kind. */
export interface LintAnswered {
  problems: readonly RuleProblem[];
  fixes: readonly RuleFix[];
}

type LintKind = keyof LintAsked;
type LintAsk = { [K in LintKind]: { readonly kind: K; readonly at: LintAsked[K] } }[LintKind];

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
