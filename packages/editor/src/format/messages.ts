/**
 * Messages between the page and the format worker. Both are always from the same build. Offsets
 * count UTF-16 units from 0.
 */
import type { TextEdit } from '../typescript/messages.ts';

/** Parameters of each kind of request. */
export interface FormatParams {
  format: FormatTarget;
}

/** Results of each kind of request. */
export interface FormatResults {
  format: FormatResult;
}

/** A file, or the lines of it that a range touches. */
export interface FormatTarget {
  readonly path: string;
  readonly range?: { readonly from: number; readonly to: number };
}

/** The edits that format a file, or why there are none. */
export type FormatResult =
  /** Edits in order, all relative to the original text. Empty if it is formatted already. */
  | { readonly status: 'formatted'; readonly edits: readonly TextEdit[] }
  /** The file has a syntax error. */
  | { readonly status: 'broken' }
  /** The project's Prettier config cannot be parsed or is invalid. */
  | { readonly status: 'config' }
  /** The file's language is not supported. */
  | { readonly status: 'unknown' }
  /** The selected lines cannot be formatted without changing others. */
  | { readonly status: 'part' };

/** Page to worker. */
export type FormatRequest =
  /** Changed and removed files since the last message. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly ask: { readonly kind: 'format'; readonly at: FormatTarget };
    };

/** Worker to page. */
export type FormatMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: FormatResult }
  /** Prettier threw an unexpected error. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };
