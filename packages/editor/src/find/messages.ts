/**
 * Messages between the page and the regular expression search worker. Both are always from the same
 * build.
 */
import type { FileSearchQuery, FileSearchResults } from './find-in-files.ts';

/** Page to worker. */
export type FileSearchRequest =
  | { readonly type: 'files'; readonly files: ReadonlyMap<string, string> }
  | {
      readonly type: 'find';
      readonly id: number;
      readonly query: FileSearchQuery;
      readonly maxMatches: number | undefined;
    };

/** Worker to page, in the order of the requests. */
export interface FileSearchResponse {
  readonly id: number;
  readonly results: FileSearchResults;
}
