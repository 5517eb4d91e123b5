import {
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Extension,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import type { ColorInformation } from '../markup/messages.ts';
import { filePath, isMarkup, isStyle } from '../language-facets.ts';
import { formatCssColor } from './color-values.ts';
import type { MarkupClient } from './markup-client.ts';

/**
 * Delay after an edit before colors are requested again. Until then swatches move with the text.
 */
const debounceMs = 300;

const setColors = StateEffect.define<readonly ColorInformation[]>();

interface SwatchState {
  /** Positions of the colors, mapped through changes since the request. */
  readonly colors: readonly ColorInformation[];
  readonly swatches: DecorationSet;
}

const swatchField = StateField.define<SwatchState>({
  create: () => ({ colors: [], swatches: RangeSet.empty }),
  update(value, { changes, effects, docChanged }) {
    for (const effect of effects)
      if (effect.is(setColors))
        return { colors: effect.value, swatches: createSwatches(effect.value) };
    if (!docChanged) return value;
    return {
      colors: value.colors.map((color) => ({
        ...color,
        from: changes.mapPos(color.from, 1),
        to: changes.mapPos(color.to, -1),
      })),
      swatches: value.swatches.map(changes),
    };
  },
  provide: (field) => EditorView.decorations.from(field, ({ swatches }) => swatches),
});

/** Shows a swatch before every color in stylesheets. Clicking one calls `open`. */
export function colorSwatches(
  client: MarkupClient,
  open: (view: EditorView, color: ColorInformation) => void,
): Extension {
  const follower = ViewPlugin.define((view) => new ColorRequester(view, client));
  const clickHandler = EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.target instanceof HTMLElement) || !event.target.matches('.cm-swatch'))
        return false;
      const color = findColorAt(view, view.posAtDOM(event.target));
      if (color && !view.state.readOnly) open(view, color);
      return color !== undefined;
    },
  });
  return [swatchField, follower, clickHandler];
}

/** The color at an offset. */
export function findColorAt(view: EditorView, offset: number): ColorInformation | undefined {
  const { colors } = view.state.field(swatchField);
  return colors.find(({ from, to }) => from < to && from <= offset && offset <= to);
}

class ColorRequester {
  readonly #view: EditorView;
  readonly #client: MarkupClient;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, client: MarkupClient) {
    this.#view = view;
    this.#client = client;
    this.#scheduleRequest(0);
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged) this.#scheduleRequest(debounceMs);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #scheduleRequest(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#request(), delayMs);
  }

  async #request(): Promise<void> {
    const { state } = this.#view;
    const path = state.facet(filePath);
    if (!isStyle(path) && !isMarkup(path)) return;
    const colors = await this.#client.request('documentColor', { path });
    // Another text or file has its own request.
    if (!colors || this.#view.state.doc !== state.doc) return;
    this.#view.dispatch({ effects: setColors.of(colors) });
  }
}

function createSwatches(colors: readonly ColorInformation[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const color of colors.toSorted((a, b) => a.from - b.from))
    builder.add(color.from, color.from, Decoration.widget({ widget: new Swatch(color), side: 1 }));
  return builder.finish();
}

/**
 * A clickable color sample. Hidden from screen readers and the keyboard: there the color is its
 * text, and Mod-. opens the picker.
 */
class Swatch extends WidgetType {
  readonly #css: string;

  constructor(color: ColorInformation) {
    super();
    this.#css = formatCssColor(color);
  }

  override eq(other: Swatch): boolean {
    return other.#css === this.#css;
  }

  toDOM(): HTMLElement {
    const swatch = document.createElement('span');
    swatch.className = 'cm-swatch';
    swatch.title = 'Change color';
    swatch.ariaHidden = 'true';
    swatch.style.setProperty('--swatch', this.#css);
    return swatch;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
