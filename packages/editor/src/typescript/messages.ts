/**
 * Every message between the page and the worker that understands TypeScript and JavaScript. Both are
 * ours and of one build. Paths are the project's; of a package's declarations they begin with
 * `node_modules/`, of the language's own with `__vitrine/lib/`. Offsets count UTF-16 units from 0,
 * lines and columns from 1.
 */

/** To the worker. */
export type LanguageRequest =
  /** The project's texts, against what was sent before. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  /** The project's packages: the name as imported, and its address (`/npm/NAME@VERSION~LINK`). */
  | { readonly type: 'packages'; readonly addresses: readonly (readonly [string, string])[] }
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask };

/** From the worker. */
export type LanguageMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answered[Kind] }
  /** The language service threw. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** Declarations of packages came: what was said of problems may be out of date. */
  | { readonly type: 'packages' };

export interface At {
  readonly path: string;
  readonly offset: number;
}

/** What is asked, by kind. */
export interface Asked {
  completions: At & { readonly isExplicit: boolean };
  completion: At & { readonly name: string; readonly origin: Origin | null };
  signature: At;
  description: At;
  definitions: At;
  references: At;
  renaming: At;
  rename: At & { readonly name: string };
  fixes: { readonly path: string; readonly from: number; readonly to: number };
  imports: { readonly path: string };
  problems: { readonly path: string };
  source: { readonly path: string };
}

/** What is answered, by kind. Null where there is nothing to say. */
export interface Answered {
  completions: CompletionList | null;
  completion: CompletionDetail | null;
  signature: Signature | null;
  description: Description | null;
  definitions: readonly Place[];
  references: readonly Reference[];
  /** What would be renamed; null for what cannot. */
  renaming: { readonly from: number; readonly to: number; readonly name: string } | null;
  rename: readonly FileEdits[];
  fixes: readonly CodeFix[];
  /** The imports of a file in order, without those that are not used. */
  imports: readonly FileEdits[];
  problems: readonly CodeProblem[];
  /** The text of a declaration file. */
  source: string | null;
}

export type Kind = keyof Asked;
export type Ask<K extends Kind = Kind> = {
  [P in K]: { readonly kind: P; readonly at: Asked[P] };
}[K];
export type Answers<K extends Kind = Kind> = { [P in K]: (at: Asked[P]) => Answered[P] };

/** Where a completion that is not in scope yet would be imported from. */
export interface Origin {
  readonly source: string;
  /** The language service's own, to be handed back as it came. */
  readonly data: object | null;
}

export interface CompletionEntry {
  readonly name: string;
  readonly type: string;
  /** Smaller comes first. */
  readonly rank: string;
  /** Written in the place of the name. */
  readonly insert?: string;
  /** What is replaced, where it is not the word at the cursor. */
  readonly from?: number;
  readonly to?: number;
  readonly origin?: Origin;
  readonly isDeprecated?: boolean;
}

export interface CompletionList {
  /** Where the word that is completed begins. */
  readonly from: number;
  /** False where there are more, which other letters would bring. */
  readonly isComplete: boolean;
  readonly entries: readonly CompletionEntry[];
}

/** What something is, in code, and what its authors say of it. */
export interface Described {
  readonly code: string;
  readonly text: string;
}

/** The edits, of this file, are what the completion needs besides: its import. */
export interface CompletionDetail extends Described {
  readonly edits: readonly TextEdit[];
}

export interface Description extends Described {
  readonly from: number;
  readonly to: number;
}

export interface Signature {
  /** The signature in parts; the argument that is being written is marked. */
  readonly parts: readonly { readonly text: string; readonly isActive: boolean }[];
  readonly text: string;
  /** "2 of 3", where there are several. */
  readonly index: number;
  readonly count: number;
  /** Where the arguments begin. */
  readonly from: number;
}

export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Reference extends Place {
  /** Its line of code. */
  readonly text: string;
}

export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Edits of one file, in order, all counted in the text before any of them. */
export interface FileEdits {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

export interface CodeFix {
  readonly label: string;
  readonly files: readonly FileEdits[];
}

export interface CodeProblem extends Place {
  /** The grammar is broken, or the types do not fit. */
  readonly kind: 'syntax' | 'type';
  readonly from: number;
  readonly to: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly sentence: string;
  readonly severity: 'error' | 'warning';
  /** TypeScript's number of it. */
  readonly code: number;
}
