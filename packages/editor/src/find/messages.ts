/**
 * Every message between the page and the worker that looks for expressions. Both are ours and of one
 * build.
 */
import type { FileQuery, Found } from './find-in-files.ts';

/** To the worker. */
export type FindRequest =
  | { readonly type: 'files'; readonly files: ReadonlyMap<string, string> }
  | {
      readonly type: 'find';
      readonly id: number;
      readonly query: FileQuery;
      readonly atMost: number | undefined;
    };

/** From the worker, in the order of the questions. */
export interface FindAnswer {
  readonly id: number;
  readonly found: Found;
}
