/**
 * Every message between the page and the worker that formats files. Both are ours and of one build.
 * Offsets count UTF-16 units from 0.
 */
import type { WorkerAnswer, WorkerRequest } from '../asked-worker.ts';
import type { TextEdit } from '../typescript/messages.ts';

export type FormatKinds = {
  readonly format: { readonly at: FormatPlace; readonly answer: Formatted };
};

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
  /** It is in no language that can be formatted. */
  | { readonly status: 'unknown' }
  /** What is selected cannot change without what stands around it. */
  | { readonly status: 'part' };

/** To the worker. */
export type FormatRequest = WorkerRequest<FormatKinds>;

/** From the worker. */
export type FormatMessage = WorkerAnswer<FormatKinds>;
