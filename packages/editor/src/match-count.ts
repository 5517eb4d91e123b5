import { getSearchQuery, searchPanelOpen } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';

/** Matches counted at most. */
const maxCount = 1_000;
/** Delay after the last change of the query. */
const debounceMs = 100;

/** Shows the number of matches, and which one is selected, in the search panel. */
export const matchCount = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    readonly #status = document.createElement('span');
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(view: EditorView) {
      this.#view = view;
      this.#status.className = 'cm-matchCount';
      this.#status.setAttribute('role', 'status');
    }

    update({ state, startState, docChanged, selectionSet }: ViewUpdate): void {
      if (!searchPanelOpen(state)) return;
      const hasChanged =
        docChanged ||
        selectionSet ||
        !searchPanelOpen(startState) ||
        !getSearchQuery(startState).eq(getSearchQuery(state));
      if (!hasChanged) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#render(), debounceMs);
    }

    destroy(): void {
      clearTimeout(this.#timer);
    }

    #render(): void {
      const field = this.#view.dom.querySelector('.cm-search [name=search]');
      if (field && field.nextElementSibling !== this.#status) field.after(this.#status);
      this.#status.textContent = countMatches(this.#view.state);
    }
  },
);

/** "3 of 12", "12 matches", "No matches", or "" for an empty query. */
function countMatches(state: EditorState): string {
  const query = getSearchQuery(state);
  if (query.search === '') return '';
  if (!query.valid) return 'Invalid regular expression';
  const { from, to } = state.selection.main;
  let count = 0;
  let selected = 0;
  for (const match of iterateMatches(query.getCursor(state))) {
    count += 1;
    if (match.from === from && match.to === to) selected = count;
    if (count === maxCount) break;
  }
  if (count === 0) return 'No matches';
  const all = count === maxCount ? `${maxCount}+` : String(count);
  if (selected > 0) return `${selected} of ${all}`;
  return count === 1 ? '1 match' : `${all} matches`;
}

type Match = { readonly from: number; readonly to: number };

function* iterateMatches(cursor: Iterator<Match>): Generator<Match> {
  for (let each = cursor.next(); each.done !== true; each = cursor.next()) yield each.value;
}
