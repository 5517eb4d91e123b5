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
import type { PlacedColour } from '../markup/messages.ts';
import { filePath, isMarkup, isStyle } from '../understood.ts';
import { toCss } from './colour-values.ts';
import type { MarkupClient } from './markup-client.ts';

/** So long after an edit colours are looked for anew; until then they move with the text. */
const restMs = 300;

const setColours = StateEffect.define<readonly PlacedColour[]>();

interface Shown {
  /** Where each was when it was found. */
  readonly colours: readonly PlacedColour[];
  readonly swatches: DecorationSet;
}

const shown = StateField.define<Shown>({
  create: () => ({ colours: [], swatches: RangeSet.empty }),
  update(value, { changes, effects, docChanged }) {
    for (const effect of effects)
      if (effect.is(setColours)) return { colours: effect.value, swatches: build(effect.value) };
    if (!docChanged) return value;
    return {
      colours: value.colours.map((colour) => ({
        ...colour,
        from: changes.mapPos(colour.from, 1),
        to: changes.mapPos(colour.to, -1),
      })),
      swatches: value.swatches.map(changes),
    };
  },
  provide: (field) => EditorView.decorations.from(field, ({ swatches }) => swatches),
});

/** Shows a swatch before every colour of the styles that are shown; a press on one calls `open`. */
export function swatches(
  client: MarkupClient,
  open: (view: EditorView, colour: PlacedColour) => void,
): Extension {
  const follow = ViewPlugin.define((view) => new Follower(view, client));
  const press = EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.target instanceof HTMLElement) || !event.target.matches('.cm-swatch'))
        return false;
      const colour = colourAt(view, view.posAtDOM(event.target));
      if (colour && !view.state.readOnly) open(view, colour);
      return colour !== undefined;
    },
  });
  return [shown, follow, press];
}

/** The colour at an offset, where it is by now. */
export function colourAt(view: EditorView, offset: number): PlacedColour | undefined {
  const { colours } = view.state.field(shown);
  return colours.find(({ from, to }) => from < to && from <= offset && offset <= to);
}

class Follower {
  readonly #view: EditorView;
  readonly #client: MarkupClient;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, client: MarkupClient) {
    this.#view = view;
    this.#client = client;
    this.#lookLater(0);
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged) this.#lookLater(restMs);
  }

  destroy(): void {
    clearTimeout(this.#rest);
  }

  #lookLater(ms: number): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const { state } = this.#view;
    const path = state.facet(filePath);
    if (!isStyle(path) && !isMarkup(path)) return;
    const colours = await this.#client.ask('colours', { path });
    // Another text, or another file, asks for itself.
    if (!colours || this.#view.state.doc !== state.doc) return;
    this.#view.dispatch({ effects: setColours.of(colours) });
  }
}

function build(colours: readonly PlacedColour[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const colour of colours.toSorted((a, b) => a.from - b.from))
    builder.add(
      colour.from,
      colour.from,
      Decoration.widget({ widget: new Swatch(colour), side: 1 }),
    );
  return builder.finish();
}

/** To be seen and pressed. By keyboard and ear a colour is the text beside it, and Mod-. opens it. */
class Swatch extends WidgetType {
  readonly #css: string;

  constructor(colour: PlacedColour) {
    super();
    this.#css = toCss(colour);
  }

  override eq(other: Swatch): boolean {
    return other.#css === this.#css;
  }

  toDOM(): HTMLElement {
    const swatch = document.createElement('span');
    swatch.className = 'cm-swatch';
    swatch.title = 'Change the colour';
    swatch.ariaHidden = 'true';
    swatch.style.setProperty('--swatch', this.#css);
    return swatch;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
