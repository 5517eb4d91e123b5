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

/** Matches previewed per screen. */
const maxPreviews = 200;

class ReplacementWidget extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: ReplacementWidget): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const dom = document.createElement('span');
    dom.className = 'cm-replacement';
    dom.textContent = this.text;
    return dom;
  }
}

const strikethrough = Decoration.mark({ class: 'cm-replaced' });

/**
 * In the search panel, shows each visible match struck through, with its replacement after it,
 * while a replacement is entered.
 */
export const replacePreview = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet = Decoration.none;

    update(update: ViewUpdate): void {
      const { state, startState, view, docChanged, viewportChanged } = update;
      const hasChanged =
        docChanged ||
        viewportChanged ||
        searchPanelOpen(state) !== searchPanelOpen(startState) ||
        !getSearchQuery(state).eq(getSearchQuery(startState));
      if (hasChanged)
        this.decorations = searchPanelOpen(state) ? createPreview(view) : Decoration.none;
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function createPreview(view: EditorView): DecorationSet {
  const { state } = view;
  const query = getSearchQuery(state);
  if (!query.valid || query.replace === '' || state.readOnly) return Decoration.none;
  const { from, to } = view.viewport;
  const decorations = [];
  for (const match of matchesIn(query, state, { from, to })) {
    if (decorations.length >= maxPreviews * 2) break;
    if (match.from === match.to) continue;
    const text = expandReplacement(query, state.sliceDoc(match.from, match.to));
    decorations.push(strikethrough.range(match.from, match.to));
    decorations.push(
      Decoration.widget({ widget: new ReplacementWidget(text), side: 1 }).range(match.to),
    );
  }
  return Decoration.set(decorations, true);
}

type TextRange = { readonly from: number; readonly to: number };

function* matchesIn(query: SearchQuery, state: EditorState, { from, to }: TextRange) {
  const cursor = query.getCursor(state, from, to);
  for (let each = cursor.next(); each.done !== true; each = cursor.next()) yield each.value;
}

/** Expands `$1`, `$&` and `\n` in a replacement, as replacing does. */
function expandReplacement(
  { search, replace, regexp, caseSensitive }: SearchQuery,
  matchText: string,
): string {
  if (!regexp) return unescape(replace);
  // A pattern with lookaround may not match its match alone; the groups stay as typed then.
  const match = new RegExp(search, caseSensitive ? 'mu' : 'imu').exec(matchText);
  return unescape(replace).replace(/\$([$&]|\d+)/g, (whole, name: string) => {
    if (name === '$') return '$';
    if (name === '&') return matchText;
    return match?.[Number(name)] ?? whole;
  });
}

function unescape(text: string): string {
  return text.replace(/\\([nrt\\])/g, (_, name: string) => {
    const escapes: Readonly<Record<string, string>> = { n: '⏎', r: '', t: '\t' };
    return escapes[name] ?? '\\';
  });
}
