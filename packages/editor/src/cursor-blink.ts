/**
 * The cursor stands still while one writes, and blinks once that rests. The library's animation begins
 * anew with each letter, whose frame is then followed by two or three of the animation alone.
 */
import type { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type PluginValue, type ViewUpdate } from '@codemirror/view';

const restMs = 500;
const resting = 'cm-resting';

class Blink implements PluginValue {
  readonly #scroller: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ scrollDOM }: EditorView) {
    this.#scroller = scrollDOM;
    this.#restLater();
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate): void {
    if (docChanged || selectionSet || focusChanged) this.#restLater();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#scroller.classList.remove(resting);
  }

  #restLater(): void {
    clearTimeout(this.#timer);
    this.#scroller.classList.remove(resting);
    this.#timer = setTimeout(() => this.#scroller.classList.add(resting), restMs);
  }
}

export const cursorBlink: Extension = [
  ViewPlugin.fromClass(Blink),
  EditorView.theme({
    // What the library writes on the element itself gives way to nothing less.
    [`.cm-scroller:not(.${resting}) > .cm-cursorLayer`]: { animation: 'none !important' },
  }),
];
