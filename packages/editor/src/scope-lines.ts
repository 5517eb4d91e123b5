import { foldable, syntaxTree } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/*
 * The lines that open what is on the screen, kept on top of it: the function, rule or element that
 * one is in. They are found in the syntax that is known already, so that nothing waits for them.
 */

const shownAtMost = 4;

interface ScopeLine {
  readonly from: number;
  readonly number: number;
  readonly text: string;
}

interface Found {
  readonly place: { readonly top: number; readonly left: number };
  readonly lines: readonly ScopeLine[];
}

/** The lines above a place whose block goes on beneath it, the outermost first. */
export function findScopeLines(state: EditorState, at: number): readonly ScopeLine[] {
  const lines = new Map<number, ScopeLine>();
  const top = state.doc.lineAt(at);
  for (let node = syntaxTree(state).resolveInner(top.from, 1); node.parent; node = node.parent) {
    const line = state.doc.lineAt(node.from);
    if (line.from >= top.from || lines.has(line.number)) continue;
    const fold = foldable(state, line.from, line.to);
    if (!fold || fold.to <= top.to) continue;
    lines.set(line.number, { from: line.from, number: line.number, text: line.text });
  }
  return [...lines.values()].sort((a, b) => a.number - b.number).slice(-shownAtMost);
}

const overlay = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    readonly #dom = document.createElement('div');
    /** What stands there, so that it is only written anew where it is another. */
    #shown = '';

    constructor(view: EditorView) {
      this.#view = view;
      this.#dom.className = 'cm-scopeLines';
      // All of it is in the text, where readers find it.
      this.#dom.setAttribute('aria-hidden', 'true');
      view.dom.append(this.#dom);
      view.scrollDOM.addEventListener('scroll', this.#look, { passive: true });
      this.#look();
    }

    update({ docChanged, geometryChanged, viewportChanged }: ViewUpdate): void {
      if (docChanged || geometryChanged || viewportChanged) this.#look();
    }

    destroy(): void {
      this.#view.scrollDOM.removeEventListener('scroll', this.#look);
      this.#dom.remove();
    }

    readonly #look = (): void => {
      this.#view.requestMeasure({
        key: this,
        read: (view) => this.#read(view),
        write: (found) => this.#write(found),
      });
    };

    #read(view: EditorView): Found {
      const box = view.scrollDOM.getBoundingClientRect();
      const outer = view.dom.getBoundingClientRect();
      const place = {
        top: box.top - outer.top,
        left: view.contentDOM.getBoundingClientRect().left - outer.left + view.scrollDOM.scrollLeft,
      };
      const height = view.scrollDOM.scrollTop - view.documentPadding.top;
      if (height <= 0) return { place, lines: [] };
      const { from } = view.lineBlockAtHeight(height);
      return { place, lines: findScopeLines(view.state, from) };
    }

    #write({ place, lines }: Found): void {
      const shown = JSON.stringify([place, lines]);
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#dom.style.top = `${place.top}px`;
      this.#dom.style.setProperty('--scope-left', `${place.left}px`);
      this.#dom.replaceChildren(...lines.map((line) => this.#draw(line)));
    }

    #draw({ from, number, text }: ScopeLine): HTMLElement {
      const dom = document.createElement('div');
      dom.className = 'cm-scopeLine';
      dom.textContent = text;
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

const look = EditorView.theme({
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

export const scopeLines: Extension = [overlay, look];
