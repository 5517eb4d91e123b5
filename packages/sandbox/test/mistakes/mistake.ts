/** A small project with one thing wrong, and what is to be told of it. */
export interface Mistake {
  name: string;
  files: Record<string, string>;
  /** `path:line:column`, or '' where it cannot be told. */
  place: string;
  sentence: string;
  severity?: 'warning';
  /** The label of the first fix, if there is one. */
  fix?: string;
  /** What Firefox says otherwise. */
  firefox?: Partial<Pick<Mistake, 'place' | 'sentence' | 'fix'>>;
}
