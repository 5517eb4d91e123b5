import type { CompletionContext } from '@codemirror/autocomplete';
import { filePath } from '../language-facets.ts';

/** Loads the documentation of a completion by name, or returns the cached one. */
export type LoadDocumentation = (
  name: string,
  load: () => Promise<Node | null>,
) => Node | null | Promise<Node | null>;

/**
 * Caches the documentation shown last beside a completion list, so that it does not flicker while
 * the word is typed and the list reopens. One entry, valid while only that word changes.
 */
export class DocumentationCache {
  #key = '';
  #documentation: Node | null = null;

  /** Returns a loader for the list of the word that starts at `from`. */
  createLoader(from: number, { state, pos }: CompletionContext): LoadDocumentation {
    const prefix = `${state.facet(filePath)} ${from} ${state.doc.length - pos}`;
    return (name, load) => {
      const key = `${prefix} ${name}`;
      if (key === this.#key) return this.#documentation;
      return load().then((documentation) => {
        // A missing documentation is not cached, so that the next list asks again.
        if (documentation) [this.#key, this.#documentation] = [key, documentation];
        return documentation;
      });
    };
  }
}
