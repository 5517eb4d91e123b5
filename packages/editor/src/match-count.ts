import { getSearchQuery, searchPanelOpen } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';

/** Where there are more, it matters little how many. */
const countedAtMost = 1_000;
/** Counting waits for the next letter of what is looked for. */
const restMs = 100;

/** Says in the search panel how many matches there are, and which of them is selected. */
export const matchCount = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    readonly #status = document.createElement('span');
    #rest: ReturnType<typeof setTimeout> | undefined;

    constructor(view: EditorView) {
      this.#view = view;
      this.#status.className = 'cm-matchCount';
      this.#status.setAttribute('role', 'status');
    }

    update({ state, startState, docChanged, selectionSet }: ViewUpdate): void {
      if (!searchPanelOpen(state)) return;
      const isOther =
        docChanged ||
        selectionSet ||
        !searchPanelOpen(startState) ||
        !getSearchQuery(startState).eq(getSearchQuery(state));
      if (!isOther) return;
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => this.#say(), restMs);
    }

    destroy(): void {
      clearTimeout(this.#rest);
    }

    #say(): void {
      const field = this.#view.dom.querySelector('.cm-search [name=search]');
      if (field && field.nextElementSibling !== this.#status) field.after(this.#status);
      this.#status.textContent = countMatches(this.#view.state);
    }
  },
);

/** "3 of 12", "12 matches", "No matches", or nothing while nothing is looked for. */
function countMatches(state: EditorState): string {
  const query = getSearchQuery(state);
  if (query.search === '') return '';
  if (!query.valid) return 'Not an expression';
  const { from, to } = state.selection.main;
  let count = 0;
  let selected = 0;
  for (const match of matchesOf(query.getCursor(state))) {
    count += 1;
    if (match.from === from && match.to === to) selected = count;
    if (count === countedAtMost) break;
  }
  if (count === 0) return 'No matches';
  const all = count === countedAtMost ? `${countedAtMost} or more` : String(count);
  if (selected > 0) return `${selected} of ${all}`;
  return count === 1 ? '1 match' : `${all} matches`;
}

type Match = { readonly from: number; readonly to: number };

function* matchesOf(cursor: Iterator<Match>): Generator<Match> {
  for (let each = cursor.next(); each.done !== true; each = cursor.next()) yield each.value;
}
