/**
 * Messages between the page and the regular expression search worker. Both are always from the same
 * build.
 */
import type { FileQuery, Found } from './find-in-files.ts';

/** Page to worker. */
export type FindRequest =
  | { readonly type: 'files'; readonly files: ReadonlyMap<string, string> }
  | {
      readonly type: 'find';
      readonly id: number;
      readonly query: FileQuery;
      readonly atMost: number | undefined;
    };

/** Worker to page, in the order of the requests. */
export interface FindAnswer {
  readonly id: number;
  readonly found: Found;
}
