/**
 * Messages between the page and the worker for markup and styles. Both are always from the same
 * build. Offsets count UTF-16 units from 0, lines and columns from 1.
 */
import type { RuleProblem } from '../lint/messages.ts';
import type {
  At,
  CodeFix,
  Described,
  Description,
  FileEdits,
  Place,
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
  | { readonly type: 'ask'; readonly id: number; readonly ask: MarkupAsk };

/** Worker to page. */
export type MarkupMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: MarkupAnswered[MarkupKind] }
  /** A language service threw an error. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** Parameters of each kind of request. */
export interface MarkupAsked {
  completions: At;
  /** Documentation of an entry in the last completion list. */
  completion: { readonly name: string };
  description: At;
  definitions: At;
  references: At;
  renaming: At;
  rename: At & { readonly name: string };
  colours: { readonly path: string };
  /** The text of a color in the notation of the one at the range. */
  recolouring: {
    readonly path: string;
    readonly from: number;
    readonly to: number;
    readonly colour: Colour;
  };
  /** Lint diagnostics of styles that ESLint does not check. */
  problems: { readonly path: string };
  /** Quick fixes for the diagnostics in a range. */
  fixes: { readonly path: string; readonly from: number; readonly to: number };
}

/** Results of each kind of request. Null if there is nothing to show. */
export interface MarkupAnswered {
  completions: MarkupList | null;
  completion: Described | null;
  description: Description | null;
  definitions: readonly Place[];
  references: readonly Reference[];
  /** The name that would be renamed; null if it cannot be. */
  renaming: { readonly from: number; readonly to: number; readonly name: string } | null;
  rename: readonly FileEdits[];
  colours: readonly PlacedColour[];
  recolouring: string | null;
  problems: readonly RuleProblem[];
  fixes: readonly CodeFix[];
}

export type MarkupKind = keyof MarkupAsked;
export type MarkupAsk<K extends MarkupKind = MarkupKind> = {
  [P in K]: { readonly kind: P; readonly at: MarkupAsked[P] };
}[K];
export type MarkupAnswers<K extends MarkupKind = MarkupKind> = {
  [P in K]: (at: MarkupAsked[P]) => MarkupAnswered[P] | Promise<MarkupAnswered[P]>;
};

/** A completion. */
export interface MarkupEntry {
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

export interface MarkupList {
  /** Offset of the word that is completed. */
  readonly from: number;
  readonly entries: readonly MarkupEntry[];
}

/** An sRGB color with channels between 0 and 1. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

export interface PlacedColour extends Colour {
  readonly from: number;
  readonly to: number;
}
