import { getSearchQuery, searchPanelOpen, type SearchQuery } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import {
  Decoration,
  type EditorView,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';

/** More on one screen would be noise. */
const shownAtMost = 200;

class Replacement extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: Replacement): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const dom = document.createElement('span');
    dom.className = 'cm-replacement';
    dom.textContent = this.text;
    return dom;
  }
}

const struck = Decoration.mark({ class: 'cm-replaced' });

/** Behind each match on the screen, what replacing it would make of it, while both fields are filled. */
export const replacePreview = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet = Decoration.none;

    update(update: ViewUpdate): void {
      const { state, startState, view, docChanged, viewportChanged } = update;
      const isOther =
        docChanged ||
        viewportChanged ||
        searchPanelOpen(state) !== searchPanelOpen(startState) ||
        !getSearchQuery(state).eq(getSearchQuery(startState));
      if (isOther) this.decorations = searchPanelOpen(state) ? preview(view) : Decoration.none;
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function preview(view: EditorView): DecorationSet {
  const { state } = view;
  const query = getSearchQuery(state);
  if (!query.valid || query.replace === '' || state.readOnly) return Decoration.none;
  const { from, to } = view.viewport;
  const found = [];
  for (const match of matchesIn(query, state, { from, to })) {
    if (found.length >= shownAtMost * 2) break;
    if (match.from === match.to) continue;
    const text = replacementOf(query, state.sliceDoc(match.from, match.to));
    found.push(struck.range(match.from, match.to));
    found.push(Decoration.widget({ widget: new Replacement(text), side: 1 }).range(match.to));
  }
  return Decoration.set(found, true);
}

type Stretch = { readonly from: number; readonly to: number };

function* matchesIn(query: SearchQuery, state: EditorState, { from, to }: Stretch) {
  const cursor = query.getCursor(state, from, to);
  for (let each = cursor.next(); each.done !== true; each = cursor.next()) yield each.value;
}

/** What `$1`, `$&` and `\n` stand for is filled in, as replacing does. */
function replacementOf(
  { search, replace, regexp, caseSensitive }: SearchQuery,
  found: string,
): string {
  if (!regexp) return unescape(replace);
  // What looks around itself may not match alone; then the words stand as they were typed.
  const match = new RegExp(search, caseSensitive ? 'mu' : 'imu').exec(found);
  return unescape(replace).replace(/\$([$&]|\d+)/g, (whole, name: string) => {
    if (name === '$') return '$';
    if (name === '&') return found;
    return match?.[Number(name)] ?? whole;
  });
}

function unescape(text: string): string {
  return text.replace(/\\([nrt\\])/g, (_, name: string) => {
    const signs: Readonly<Record<string, string>> = { n: '⏎', r: '', t: '\t' };
    return signs[name] ?? '\\';
  });
}
