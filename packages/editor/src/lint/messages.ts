/**
 * Messages between the page and the lint worker. Both are always from the same build. Offsets count
 * UTF-16 units from 0, lines and columns from 1.
 */
import type { TextEdit } from '../typescript/messages.ts';

/** Page to worker. */
export type LintRequest =
  /** Changed and removed files since the last message. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  /** Globals of a page in this browser. */
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'ask'; readonly id: number; readonly ask: LintCall };

/** Worker to page. */
export type LintMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: LintResults[LintMethod] }
  /** A rule threw an error. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** Parameters of each kind of request. */
export interface LintParams {
  /** Lints a file. */
  problems: { readonly path: string };
  /** Fixes for the diagnostics in a range. */
  fixes: { readonly path: string; readonly from: number; readonly to: number };
}

/** Results of each kind of request. */
export interface LintResults {
  problems: readonly LintDiagnostic[];
  fixes: readonly LintFix[];
}

type LintMethod = keyof LintParams;
type LintCall = { [K in LintMethod]: { readonly kind: K; readonly at: LintParams[K] } }[LintMethod];

/** A diagnostic of a lint rule. */
export interface LintDiagnostic {
  readonly kind: 'rule';
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
  /** The rule's name, such as `no-unused-vars`. */
  readonly rule: string;
}

/**
 * A fix for one diagnostic, or for all of a file. Edits are in order, with offsets in the original
 * text.
 */
export interface LintFix {
  readonly label: string;
  readonly edits: readonly TextEdit[];
}
