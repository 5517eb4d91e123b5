import type { CompletionContext } from '@codemirror/autocomplete';
import { filePath } from '../understood.ts';

/** What is told of an entry of a list, by its name and what asks for it. */
export type Tell = (
  name: string,
  ask: () => Promise<Node | null>,
) => Node | null | Promise<Node | null>;

/**
 * What was told last beside a list of completions. For as long as nothing but the word is written it
 * is there at once in the next list too, so that it does not vanish and come back with each letter.
 */
export class LastTold {
  #of = '';
  #node: Node | null = null;

  /** For the list of a word that begins at `from`. */
  at(from: number, { state, pos }: CompletionContext): Tell {
    const place = `${state.facet(filePath)} ${from} ${state.doc.length - pos}`;
    return (name, ask) => {
      const of = `${place} ${name}`;
      if (of === this.#of) return this.#node;
      return ask().then((node) => {
        // Of what nothing was told, the next letter may ask again.
        if (node) [this.#of, this.#node] = [of, node];
        return node;
      });
    };
  }
}
