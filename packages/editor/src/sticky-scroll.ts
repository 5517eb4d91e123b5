import { foldable, highlightingFor, syntaxTree } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { highlightTree } from '@lezer/highlight';

/**
 * Sticky scroll: the opening lines of the blocks around the first visible line, pinned to the top
 * of the editor. Uses the syntax tree as far as it is parsed, so that scrolling never waits.
 */

const maxLines = 4;
/** Length of a pinned line that is drawn, in UTF-16 units; the rest is cut off by its ellipsis anyway. */
const maxLength = 500;

interface StickyLine {
  readonly from: number;
  readonly number: number;
  readonly text: string;
}

/** Part of a line with the classes of its syntax colors, or "". */
type HighlightedText = readonly [text: string, classes: string];

interface Measured {
  readonly position: { readonly top: number; readonly left: number };
  readonly lines: readonly (StickyLine & { readonly parts: readonly HighlightedText[] })[];
}

/** The lines above an offset whose block continues below it, outermost first. */
function findStickyLines(state: EditorState, at: number): readonly StickyLine[] {
  const lines = new Map<number, StickyLine>();
  const top = state.doc.lineAt(at);
  for (let node = syntaxTree(state).resolveInner(top.from, 1); node.parent; node = node.parent) {
    const line = state.doc.lineAt(node.from);
    if (line.from >= top.from || lines.has(line.number)) continue;
    const fold = foldable(state, line.from, line.to);
    if (!fold || fold.to <= top.to) continue;
    lines.set(line.number, { from: line.from, number: line.number, text: line.text });
  }
  return [...lines.values()].sort((a, b) => a.number - b.number).slice(-maxLines);
}

/** Splits a line where its syntax colors change. */
function highlightLine(state: EditorState, { from, text }: StickyLine): HighlightedText[] {
  const shown = text.slice(0, maxLength);
  const parts: HighlightedText[] = [];
  let end = 0;
  const put = (to: number, classes: string) => {
    if (to > end) parts.push([shown.slice(end, to), classes]);
    end = to;
  };
  const highlighter = {
    style: (tags: Parameters<typeof highlightingFor>[1]) => highlightingFor(state, tags),
  };
  highlightTree(
    syntaxTree(state),
    highlighter,
    (start, to, classes) => {
      put(Math.max(start, from) - from, '');
      put(Math.min(to - from, shown.length), classes);
    },
    from,
    from + shown.length,
  );
  put(shown.length, '');
  return parts;
}

const stickyScrollPlugin = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    readonly #dom = document.createElement('div');
    /** Serialized content of the overlay; it is redrawn only when this changes. */
    #shownContent = '';

    constructor(view: EditorView) {
      this.#view = view;
      this.#dom.className = 'cm-scopeLines';
      // All of it is also in the text, where screen readers find it.
      this.#dom.setAttribute('aria-hidden', 'true');
      view.dom.append(this.#dom);
      view.scrollDOM.addEventListener('scroll', this.#scheduleMeasure, { passive: true });
      this.#scheduleMeasure();
    }

    update({ docChanged, geometryChanged, viewportChanged }: ViewUpdate): void {
      if (docChanged || geometryChanged || viewportChanged) this.#scheduleMeasure();
    }

    destroy(): void {
      this.#view.scrollDOM.removeEventListener('scroll', this.#scheduleMeasure);
      this.#dom.remove();
    }

    readonly #scheduleMeasure = (): void => {
      this.#view.requestMeasure({
        key: this,
        read: (view) => this.#read(view),
        write: (measured) => this.#render(measured),
      });
    };

    #read(view: EditorView): Measured {
      const box = view.scrollDOM.getBoundingClientRect();
      const outer = view.dom.getBoundingClientRect();
      const position = {
        top: box.top - outer.top,
        left: view.contentDOM.getBoundingClientRect().left - outer.left + view.scrollDOM.scrollLeft,
      };
      const height = view.scrollDOM.scrollTop - view.documentPadding.top;
      if (height <= 0) return { position, lines: [] };
      const { from } = view.lineBlockAtHeight(height);
      const lines = findStickyLines(view.state, from).map((line) => ({
        ...line,
        parts: highlightLine(view.state, line),
      }));
      return { position, lines };
    }

    #render({ position, lines }: Measured): void {
      const content = JSON.stringify([position, lines]);
      if (content === this.#shownContent) return;
      this.#shownContent = content;
      this.#dom.style.top = `${position.top}px`;
      this.#dom.style.setProperty('--scope-left', `${position.left}px`);
      this.#dom.replaceChildren(...lines.map((line) => this.#createLine(line)));
    }

    #createLine({ from, number, text, parts }: Measured['lines'][number]): HTMLElement {
      const dom = document.createElement('div');
      dom.className = 'cm-scopeLine';
      dom.append(
        ...parts.map(([part, classes]) => {
          const element = document.createElement('span');
          element.className = classes;
          element.textContent = part;
          return element;
        }),
      );
      dom.dataset.line = String(number);
      dom.addEventListener('mousedown', (event) => {
        event.preventDefault();
        this.#view.dispatch({
          selection: { anchor: from + (text.length - text.trimStart().length) },
          effects: EditorView.scrollIntoView(from, { y: 'start' }),
        });
        this.#view.focus();
      });
      return dom;
    }
  },
);

const stickyScrollTheme = EditorView.theme({
  '.cm-scopeLines': {
    position: 'absolute',
    insetInline: '0',
    zIndex: '5',
    overflow: 'hidden',
    fontFamily: 'var(--editor-font)',
    lineHeight: 'var(--editor-line-height)',
    backgroundColor: 'var(--editor-background)',
  },
  '.cm-scopeLines:not(:empty)': { borderBottom: '1px solid var(--editor-line)' },
  '.cm-scopeLine': {
    position: 'relative',
    padding: '0 8px 0 calc(var(--scope-left) + 8px)',
    whiteSpace: 'pre',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    cursor: 'pointer',
    tabSize: '2',
    '&:hover': { backgroundColor: 'var(--editor-active-line)' },
  },
  '.cm-scopeLine::before': {
    content: 'attr(data-line)',
    position: 'absolute',
    insetInlineStart: '0',
    width: 'calc(var(--scope-left) - 18px)',
    color: 'var(--editor-gutter-foreground)',
    textAlign: 'end',
  },
});

/** The sticky scroll extension. */
export const stickyScroll: Extension = [stickyScrollPlugin, stickyScrollTheme];
