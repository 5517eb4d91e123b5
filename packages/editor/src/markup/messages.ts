/**
 * Messages between the page and the worker for markup and styles. Both are always from the same
 * build. Offsets count UTF-16 units from 0, lines and columns from 1.
 */
import type { LintDiagnostic } from '../lint/messages.ts';
import type {
  FilePosition,
  CodeAction,
  Documentation,
  Hover,
  FileEdits,
  CodeLocation,
  Reference,
} from '../typescript/messages.ts';

/** Page to worker. */
export type MarkupRequest =
  /** Changed and removed files since the last message. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  | { readonly type: 'ask'; readonly id: number; readonly ask: MarkupCall };

/** Worker to page. */
export type MarkupMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: MarkupResults[MarkupMethod] }
  /** A language service threw an error. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** Parameters of each kind of request. */
export interface MarkupParams {
  completions: FilePosition;
  /** Documentation of an entry in the last completion list. */
  completion: { readonly name: string };
  description: FilePosition;
  definitions: FilePosition;
  references: FilePosition;
  renaming: FilePosition;
  rename: FilePosition & { readonly name: string };
  documentColor: { readonly path: string };
  /** The text of a color in the notation of the one at the range. */
  colorPresentation: {
    readonly path: string;
    readonly from: number;
    readonly to: number;
    readonly color: Color;
  };
  /** Lint diagnostics of styles that ESLint does not check. */
  problems: { readonly path: string };
  /** Quick fixes for the diagnostics in a range. */
  fixes: { readonly path: string; readonly from: number; readonly to: number };
}

/** Results of each kind of request. Null if there is nothing to show. */
export interface MarkupResults {
  completions: MarkupCompletionList | null;
  completion: Documentation | null;
  description: Hover | null;
  definitions: readonly CodeLocation[];
  references: readonly Reference[];
  /** The name that would be renamed; null if it cannot be. */
  renaming: { readonly from: number; readonly to: number; readonly name: string } | null;
  rename: readonly FileEdits[];
  documentColor: readonly ColorInformation[];
  colorPresentation: string | null;
  problems: readonly LintDiagnostic[];
  fixes: readonly CodeAction[];
}

export type MarkupMethod = keyof MarkupParams;
export type MarkupCall<K extends MarkupMethod = MarkupMethod> = {
  [P in K]: { readonly kind: P; readonly at: MarkupParams[P] };
}[K];
export type MarkupHandlers<K extends MarkupMethod = MarkupMethod> = {
  [P in K]: (at: MarkupParams[P]) => MarkupResults[P] | Promise<MarkupResults[P]>;
};

/** A completion. */
export interface MarkupCompletion {
  readonly name: string;
  readonly type: string;
  /** Sort key; smaller comes first. */
  readonly rank: string;
  /** Secondary text beside the name. */
  readonly detail?: string;
  /** Inserted text, if not the name. */
  readonly insert?: string;
  /** True if `insert` is a snippet in the syntax of the Language Server Protocol. */
  readonly isTemplate?: boolean;
  /** Replaced range, if not that of the list. */
  readonly from?: number;
  readonly to?: number;
  /**
   * True if completion should open again after the insertion, such as for an attribute's values.
   */
  readonly isFollowed?: boolean;
  readonly isDeprecated?: boolean;
}

export interface MarkupCompletionList {
  /** Offset of the word that is completed. */
  readonly from: number;
  readonly entries: readonly MarkupCompletion[];
}

/** An sRGB color with channels between 0 and 1. */
export interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

export interface ColorInformation extends Color {
  readonly from: number;
  readonly to: number;
}
