/** A small project with one mistake, and the expected diagnostic. */
export interface Mistake {
  name: string;
  files: Record<string, string>;
  /** `path:line:column`, or '' if unknown. */
  location: string;
  message: string;
  severity?: 'warning';
  /** Label of the first quick fix, if any. */
  fix?: string;
  /** Differences in Firefox. */
  firefox?: Partial<Pick<Mistake, 'location' | 'message' | 'fix'>>;
}
