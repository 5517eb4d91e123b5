/**
 * Every message between the page and the worker that formats files. Both are ours and of one build.
 * Offsets count UTF-16 units from 0.
 */
import type { TextEdit } from '../typescript/messages.ts';

/** What is asked, by kind. */
export interface FormatAsked {
  format: FormatPlace;
}

/** What is answered, by kind. */
export interface FormatAnswered {
  format: Formatted;
}

/** A file, or the lines of it that a stretch touches. */
export interface FormatPlace {
  readonly path: string;
  readonly stretch?: { readonly from: number; readonly to: number };
}

export type Formatted =
  /** In order, of the text before any; none where it is as it should be. */
  | { readonly status: 'formatted'; readonly edits: readonly TextEdit[] }
  /** Its grammar is broken. */
  | { readonly status: 'broken' }
  /** What its project says of the format cannot be read, or makes no sense. */
  | { readonly status: 'config' }
  /** It is in no language that can be formatted. */
  | { readonly status: 'unknown' }
  /** What is selected cannot change without what stands around it. */
  | { readonly status: 'part' };

/** To the worker. */
export type FormatRequest =
  /** The project's texts, against what was sent before. */
  | {
      readonly type: 'files';
      readonly changed: ReadonlyMap<string, string>;
      readonly removed: readonly string[];
    }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly ask: { readonly kind: 'format'; readonly at: FormatPlace };
    };

/** From the worker. */
export type FormatMessage =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Formatted }
  /** Prettier threw. */
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };
