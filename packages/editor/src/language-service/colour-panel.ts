import type { EditorView } from '@codemirror/view';
import type { Colour, PlacedColour } from '../markup/messages.ts';
import { filePath, isMarkup, isStyle } from '../understood.ts';
import { saySentence } from './choice-list.ts';
import { element } from './code-nodes.ts';
import { fromFields, toHex } from './colour-values.ts';
import type { MarkupClient } from './markup-client.ts';
import { askInPanel, type AskedForm } from './form-panel.ts';
import { colourAt } from './swatches.ts';

/** Opens the color picker for the color at the cursor. False if there is none. */
export function changeColour(view: EditorView, client: MarkupClient): boolean {
  const path = view.state.facet(filePath);
  const color = colourAt(view, view.state.selection.main.head);
  if (view.state.readOnly || !color || !(isMarkup(path) || isStyle(path))) return false;
  openColour(view, color, client);
  return true;
}

/** Opens the color picker. A confirmed change is one undo step. */
export function openColour(view: EditorView, color: PlacedColour, client: MarkupClient): void {
  const { doc } = view.state;
  void askInPanel<Colour>(view, (submit) => createColorForm(color, submit)).then((chosen) =>
    chosen ? replaceColor(view, doc, color, chosen, client) : undefined,
  );
}

/** Replaces the color in its own notation, unless the text has changed. */
async function replaceColor(
  view: EditorView,
  doc: EditorView['state']['doc'],
  { from, to }: PlacedColour,
  color: Colour,
  client: MarkupClient,
): Promise<void> {
  const path = view.state.facet(filePath);
  const insert = await client.ask('recolouring', { path, from, to, colour: color });
  if (insert == null) return;
  if (view.state.doc !== doc) return saySentence(view, 'The code has changed. Try again.');
  view.dispatch({ changes: { from, to, insert }, userEvent: 'input.color' });
}

function createColorForm(color: Colour, submit: (color: Colour) => void): AskedForm {
  const form = document.createElement('form');
  const colorField = document.createElement('input');
  colorField.type = 'color';
  colorField.value = toHex(color);
  colorField.className = 'cm-color-field';
  const opacityField = document.createElement('input');
  opacityField.type = 'number';
  opacityField.min = '0';
  opacityField.max = '100';
  opacityField.className = 'cm-textfield cm-opacity-field';
  opacityField.value = String(Math.round(color.alpha * 100));
  form.append(
    createLabel('Color ', colorField),
    createLabel('Opacity (%) ', opacityField),
    element('button', 'cm-button', 'Change'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(fromFields(colorField.value, opacityField.valueAsNumber || 0));
  });
  return { form, first: colorField };
}

function createLabel(text: string, field: HTMLElement): HTMLElement {
  const label = element('label', '', text);
  label.append(field);
  return label;
}
