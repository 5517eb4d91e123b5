/**
 * Every message between the page and the worker that understands markup and styles. Both are ours
 * and of one build. Offsets count UTF-16 units from 0, lines and columns from 1.
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

/** To the worker. */
export type MarkupRequest =
  /** The project's texts, against what was sent before. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  | { readonly type: 'ask'; readonly id: number; readonly ask: MarkupAsk };

/** From the worker. */
export type MarkupMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: MarkupAnswered[MarkupKind] }
  /** A language service threw. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** What is asked, by kind. */
export interface MarkupAsked {
  completions: At;
  /** About one of the completions that were answered last. */
  completion: { readonly name: string };
  description: At;
  definitions: At;
  references: At;
  renaming: At;
  rename: At & { readonly name: string };
  colours: { readonly path: string };
  /** A colour in the words of the one that stands there. */
  recolouring: {
    readonly path: string;
    readonly from: number;
    readonly to: number;
    readonly colour: Colour;
  };
  /** What is wrong with styles that no other rules read. */
  problems: { readonly path: string };
  /** What mends the problems that touch a stretch of a file. */
  fixes: { readonly path: string; readonly from: number; readonly to: number };
}

/** What is answered, by kind. Null where there is nothing to say. */
export interface MarkupAnswered {
  completions: MarkupList | null;
  completion: Described | null;
  description: Description | null;
  definitions: readonly Place[];
  references: readonly Reference[];
  /** What would be renamed; null for what cannot. */
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

export interface MarkupEntry {
  readonly name: string;
  readonly type: string;
  /** Smaller comes first. */
  readonly rank: string;
  /** Quieter, beside the name. */
  readonly detail?: string;
  /** Written in the place of the name. */
  readonly insert?: string;
  /** `insert` is a template with fields, as the Language Server Protocol writes them. */
  readonly isTemplate?: boolean;
  /** What is replaced, where it is not what the list says. */
  readonly from?: number;
  readonly to?: number;
  /** Values follow: the list opens again behind it. */
  readonly isFollowed?: boolean;
  readonly isDeprecated?: boolean;
}

export interface MarkupList {
  /** Where the word that is completed begins. */
  readonly from: number;
  readonly entries: readonly MarkupEntry[];
}

/** Each between 0 and 1, in sRGB. */
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
