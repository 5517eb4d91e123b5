/**
 * Messages between the page and the TypeScript worker. Both are always from the same build. Paths
 * are the project's; those of package declarations start with `node_modules/`, those of the
 * standard library with `__vitrine/lib/`. Offsets count UTF-16 units from 0, lines and columns from
 * 1.
 */

/** Page to worker. */
export type LanguageRequest =
  /** Changed and removed files since the last message. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  /** The project's packages: import specifier and URL path (`/npm/NAME@VERSION~HASH`). */
  | { readonly type: 'packages'; readonly addresses: readonly (readonly [string, string])[] }
  /** The user is typing: preparations wait. */
  | { readonly type: 'typed' }
  | { readonly type: 'ask'; readonly id: number; readonly ask: LanguageCall };

/** Worker to page. */
export type LanguageMessage =
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly answer: LanguageResults[LanguageMethod];
    }
  /** The language service threw an error. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** Package types have loaded: earlier diagnostics may be out of date. */
  | { readonly type: 'packages' };

/** A position in a project file: path and UTF-16 offset. */
export interface FilePosition {
  readonly path: string;
  readonly offset: number;
}

/** Parameters of each kind of request. */
export interface LanguageParams {
  completions: FilePosition & { readonly isExplicit: boolean };
  completion: FilePosition & { readonly name: string; readonly origin: AutoImport | null };
  signature: FilePosition;
  description: FilePosition;
  definitions: FilePosition;
  references: FilePosition;
  renaming: FilePosition;
  rename: FilePosition & { readonly name: string };
  fixes: { readonly path: string; readonly from: number; readonly to: number };
  imports: { readonly path: string };
  problems: { readonly path: string };
  source: { readonly path: string };
}

/** Results of each kind of request. Null if there is nothing to show. */
export interface LanguageResults {
  completions: CompletionList | null;
  completion: CompletionDetail | null;
  signature: Signature | null;
  description: Hover | null;
  definitions: readonly CodeLocation[];
  references: readonly Reference[];
  /** The name that would be renamed; null if it cannot be. */
  renaming: { readonly from: number; readonly to: number; readonly name: string } | null;
  rename: readonly FileEdits[];
  fixes: readonly CodeAction[];
  /** Edits that sort a file's imports and remove unused ones. */
  imports: readonly FileEdits[];
  problems: readonly CodeDiagnostic[];
  /** The text of a declaration file. */
  source: string | null;
}

export type LanguageMethod = keyof LanguageParams;
export type LanguageCall<K extends LanguageMethod = LanguageMethod> = {
  [P in K]: { readonly kind: P; readonly at: LanguageParams[P] };
}[K];
export type LanguageHandlers<K extends LanguageMethod = LanguageMethod> = {
  [P in K]: (at: LanguageParams[P]) => LanguageResults[P];
};

/** Where an auto-import completion would be imported from. */
interface AutoImport {
  readonly source: string;
  /** Data of the language service, returned to it unchanged. */
  readonly data: object | null;
}

/** A completion, without its documentation. */
export interface CompletionEntry {
  readonly name: string;
  readonly type: string;
  /** Sort key; smaller comes first. */
  readonly rank: string;
  /** Inserted text, if not the name. */
  readonly insert?: string;
  /** Replaced range, if not the word at the cursor. */
  readonly from?: number;
  readonly to?: number;
  readonly origin?: AutoImport;
  readonly isDeprecated?: boolean;
}

export interface CompletionList {
  /** Offset of the word that is completed. */
  readonly from: number;
  /** False if there are more entries, which typing on may bring. */
  readonly isComplete: boolean;
  readonly entries: readonly CompletionEntry[];
}

/** Highlighted code and Markdown documentation of a symbol. */
export interface Documentation {
  readonly code: string;
  readonly text: string;
}

/** Documentation of a completion, and the edits of the file for its auto-import. */
export interface CompletionDetail extends Documentation {
  readonly edits: readonly TextEdit[];
}

export interface Hover extends Documentation {
  readonly from: number;
  readonly to: number;
}

/** The signature of a call. */
export interface Signature {
  /** The signature in parts; the active parameter is marked. */
  readonly parts: readonly { readonly text: string; readonly isActive: boolean }[];
  readonly text: string;
  /** 1-based index among the overloads. */
  readonly index: number;
  readonly count: number;
  /** Offset of the arguments. */
  readonly from: number;
}

/** A line and column, both from 1, in a file of the project or a declaration file. */
export interface CodeLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Reference extends CodeLocation {
  /** The line of code, trimmed. */
  readonly text: string;
}

/** A replacement of a range of text. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Edits of one file, in order, with offsets in the original text. */
export interface FileEdits {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/** A quick fix and its edits, possibly in several files. */
export interface CodeAction {
  readonly label: string;
  readonly files: readonly FileEdits[];
}

/** A diagnostic of TypeScript. */
export interface CodeDiagnostic extends CodeLocation {
  /** A syntax error or a type error. */
  readonly kind: 'syntax' | 'type';
  readonly from: number;
  readonly to: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
  /** TypeScript's diagnostic code. */
  readonly code: number;
}
