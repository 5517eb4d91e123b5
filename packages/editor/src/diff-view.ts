import { standardKeymap } from '@codemirror/commands';
import {
  getChunks,
  getOriginalDoc,
  MergeView,
  unifiedMergeView,
  type Chunk,
} from '@codemirror/merge';
import { gotoLine, highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { findChangedRange } from '@vitrine/project';
import { createContentAttributes, invisibleCharacters, searchPhrases } from './basics.ts';
import { drawnSelection } from './drawn-selection.ts';
import { matchCount } from './match-count.ts';
import { findLanguageWithinLimit } from './nesting-limit.ts';
import { configureSettings, type EditorSettings } from './settings.ts';
import { theme } from './theme.ts';

export { loadLanguage } from './languages.ts';

/** One of the two texts that a diff compares. */
export interface DiffSide {
  /** Part of the editor's accessible name: "a.js (version 12)". */
  readonly name: string;
  readonly text: string;
}

export interface DiffViewOptions {
  readonly parent: HTMLElement;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  /** Path of the file. Its language is highlighted if it was loaded with `loadLanguage`. */
  readonly path: string;
  readonly before: DiffSide;
  readonly after: DiffSide;
  /** Shows both texts in one column instead of side by side. */
  readonly isUnified: boolean;
  /** Collapses unchanged lines that are far from any change. */
  readonly isCollapsed: boolean;
  readonly settings: EditorSettings;
  /** Called when the number of changes, or the one with the cursor, is another. */
  readonly onChange?: (position: DiffPosition) => void;
}

/** The changes of a diff. */
export interface DiffPosition {
  readonly count: number;
  /** Number of the change with the cursor, from 1. 0 if the cursor is in none. */
  readonly current: number;
}

/** Marks transactions by which the compared text itself changes. Others can't change it. */
const textUpdate = Annotation.define<true>();

/** Limits of the comparison. Beyond them a change is shown as one replaced block. */
const diffConfig = { scanLimit: 1_000, timeout: 200 };

/**
 * Shows the differences between two texts, read-only. Alt+F5 and Shift+Alt+F5 move to the next and
 * previous change, as in VS Code, and announce it to screen readers.
 */
export class DiffView {
  #options: DiffViewOptions;
  /** Both editors, or the one of the unified view, which has the newer text. */
  #view: MergeView | EditorView;
  #position: DiffPosition = { count: -1, current: 0 };

  constructor(options: DiffViewOptions) {
    this.#options = options;
    this.#view = this.#createView();
    this.#moveToChange(0);
    this.#reportPosition();
  }

  /** Changes options. The text of `after` is changed in place; others recreate the editors. */
  update(
    changed: Partial<Pick<DiffViewOptions, 'isUnified' | 'isCollapsed' | 'settings'>> & {
      readonly afterText?: string;
    },
  ): void {
    const { afterText, ...others } = changed;
    if (afterText !== undefined) this.#setAfterText(afterText);
    const before = this.#options;
    this.#options = { ...before, ...others };
    const isSame =
      before.isUnified === this.#options.isUnified &&
      before.isCollapsed === this.#options.isCollapsed &&
      before.settings === this.#options.settings;
    if (isSame) return;
    const hadFocus = before.parent.contains(document.activeElement);
    const { head } = this.#afterView.state.selection.main;
    this.#view.destroy();
    this.#view = this.#createView();
    this.#afterView.dispatch({ selection: { anchor: head }, scrollIntoView: true });
    if (hadFocus) this.focus();
    this.#reportPosition();
  }

  /** Moves to the next change (1) or the previous one (-1), after the last to the first. */
  goToChange(step: 1 | -1): void {
    const view = this.#afterView;
    const { doc, selection } = view.state;
    const { head } = selection.main;
    // Lines removed at the end begin after it.
    const starts =
      getChunks(view.state)?.chunks.map(({ fromB }) => Math.min(fromB, doc.length)) ?? [];
    const found =
      step === 1
        ? starts.findIndex((start) => start > head)
        : starts.findLastIndex((start) => start < head);
    const index = found === -1 && step === 1 ? 0 : (found + starts.length) % starts.length;
    const chunk = this.#moveToChange(index);
    if (!chunk) return;
    const message = `Change ${index + 1} of ${starts.length}. ${this.#describe(chunk)}`;
    view.dispatch({ effects: EditorView.announce.of(message) });
    view.focus();
  }

  #moveToChange(index: number): Chunk | undefined {
    const view = this.#afterView;
    const chunk = getChunks(view.state)?.chunks[index];
    if (!chunk) return undefined;
    const anchor = Math.min(chunk.fromB, view.state.doc.length);
    view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
    return chunk;
  }

  focus(): void {
    this.#afterView.focus();
  }

  close(): void {
    this.#view.destroy();
  }

  /** The editor of the newer text. */
  get #afterView(): EditorView {
    return this.#view instanceof MergeView ? this.#view.b : this.#view;
  }

  #createView(): MergeView | EditorView {
    const { parent, before, after, isUnified, isCollapsed } = this.#options;
    const collapseUnchanged = { margin: 3, minSize: 6 };
    const collapse = isCollapsed ? { collapseUnchanged } : {};
    if (!isUnified)
      return new MergeView({
        parent,
        a: { doc: before.text, extensions: this.#createExtensions(before) },
        b: { doc: after.text, extensions: this.#createExtensions(after) },
        diffConfig,
        ...collapse,
      });
    const merge = unifiedMergeView({
      original: before.text,
      mergeControls: false,
      diffConfig,
      ...collapse,
    });
    const names = { ...after, name: `${before.name}, compared with ${after.name}` };
    return new EditorView({
      parent,
      doc: after.text,
      extensions: [this.#createExtensions(names), merge],
    });
  }

  #createExtensions({ name, text }: DiffSide): Extension {
    const { path, settings, nonce } = this.#options;
    const go = (step: 1 | -1) => () => {
      this.goToChange(step);
      return true;
    };
    return [
      EditorState.readOnly.of(true),
      EditorState.changeFilter.of((transaction) => transaction.annotation(textUpdate) === true),
      EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
      createContentAttributes(path, name),
      keymap.of([
        { key: 'Alt-F5', run: go(1), shift: go(-1), preventDefault: true },
        // Its key for this is Ctrl+Alt+G, and AltGr types.
        ...searchKeymap.filter(({ run }) => run !== gotoLine),
        { key: 'Ctrl-g', run: gotoLine },
        ...standardKeymap,
      ]),
      lineNumbers(),
      invisibleCharacters,
      drawnSelection,
      highlightSelectionMatches(),
      search({ top: true }),
      searchPhrases,
      matchCount,
      findLanguageWithinLimit(path, text, { texts: () => [] }) ?? [],
      configureSettings(settings),
      theme,
      diffTheme,
      nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
      EditorView.updateListener.of(({ docChanged, selectionSet }) => {
        if (docChanged || selectionSet) this.#reportPosition();
      }),
    ];
  }

  #setAfterText(text: string): void {
    const view = this.#afterView;
    const { start, end, newEnd } = findChangedRange(this.#options.after.text, text);
    this.#options = { ...this.#options, after: { ...this.#options.after, text } };
    if (start === end && start === newEnd) return;
    view.dispatch({
      changes: { from: start, to: end, insert: text.slice(start, newEnd) },
      annotations: textUpdate.of(true),
    });
    this.#reportPosition();
  }

  #reportPosition(): void {
    const { state } = this.#afterView;
    const chunks = getChunks(state)?.chunks ?? [];
    const { head } = state.selection.main;
    const current = chunks.findIndex(({ fromB, endB }) => fromB <= head && head <= endB) + 1;
    const { count } = this.#position;
    if (count === chunks.length && current === this.#position.current) return;
    this.#position = { count: chunks.length, current };
    this.#options.onChange?.(this.#position);
  }

  /** "Lines 3 to 5 removed, line 3 added." */
  #describe({ fromA, endA, toA, fromB, endB, toB }: Chunk): string {
    const { state } = this.#afterView;
    const original =
      this.#view instanceof MergeView ? this.#view.a.state.doc : getOriginalDoc(state);
    const parts = [
      fromA === toA ? [] : [`${describeLines(original, fromA, endA)} removed`],
      fromB === toB ? [] : [`${describeLines(state.doc, fromB, endB)} added`],
    ].flat();
    const text = parts.join(', ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }
}

function describeLines(doc: Text, from: number, to: number): string {
  const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

/**
 * Colors by the custom properties in editor.css. The signs beside changed lines say the same
 * without color.
 */
const diffTheme = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': {
    backgroundColor: 'var(--editor-removed-line)',
  },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': {
    backgroundColor: 'var(--editor-added-line)',
  },
  '&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText': {
    background: 'var(--editor-removed-text)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--editor-added-text)' },
  '.cm-mergeView &.cm-merge-b': { borderLeft: '1px solid var(--editor-line)' },
  '.cm-changeGutter': { width: '1.2em', padding: '0' },
  '.cm-changeGutter .cm-gutterElement': { textAlign: 'center' },
  '&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter': {
    background: 'none',
    color: 'var(--editor-removed)',
  },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'none', color: 'var(--editor-added)' },
  '&.cm-merge-a .cm-changedLineGutter::before, & .cm-deletedLineGutter::before': {
    content: '"−" / ""',
  },
  '&.cm-merge-b .cm-changedLineGutter::before': { content: '"+" / ""' },
  '.cm-deletedChunk': { paddingLeft: '8px' },
  // No other gutter is before the numbers.
  '.cm-lineNumbers .cm-gutterElement': { paddingLeft: '8px' },
  '& .cm-collapsedLines': {
    padding: '2px 8px',
    color: 'var(--editor-gutter-foreground)',
    background: 'var(--editor-panel-background)',
    font: '12px/20px var(--editor-interface-font)',
    '&::before, &::after': { content: 'none' },
  },
});
