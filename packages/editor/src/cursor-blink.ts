/**
 * Keeps the drawn cursor solid while typing and lets it blink half a second later. CodeMirror
 * restarts its blink animation with each keystroke, which costs two or three extra frames per key.
 */
import type { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type PluginValue, type ViewUpdate } from '@codemirror/view';

const idleMs = 500;
const idleClass = 'cm-resting';

class Blink implements PluginValue {
  readonly #scroller: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ scrollDOM }: EditorView) {
    this.#scroller = scrollDOM;
    this.#scheduleIdle();
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate): void {
    if (docChanged || selectionSet || focusChanged) this.#scheduleIdle();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#scroller.classList.remove(idleClass);
  }

  #scheduleIdle(): void {
    clearTimeout(this.#timer);
    this.#scroller.classList.remove(idleClass);
    this.#timer = setTimeout(() => this.#scroller.classList.add(idleClass), idleMs);
  }
}

/** Pauses the blink animation of CodeMirror's drawn cursor while typing. */
export const cursorBlink: Extension = [
  ViewPlugin.fromClass(Blink),
  EditorView.theme({
    // CodeMirror sets the animation in the element's style attribute, which only `!important`
    // overrides.
    [`.cm-scroller:not(.${idleClass}) > .cm-cursorLayer`]: { animation: 'none !important' },
  }),
];
