import type { EditorView } from '@codemirror/view';
import type { Color, ColorInformation } from '../markup/messages.ts';
import { filePath, isMarkup, isStyle } from '../language-facets.ts';
import { showMessageAtCursor } from './choice-list.ts';
import { createElementWithText } from './render-documentation.ts';
import { parseColorFields, formatHexColor } from './color-values.ts';
import type { MarkupClient } from './markup-client.ts';
import { showFormPanel, type PanelForm } from './form-panel.ts';
import { findColorAt } from './color-swatches.ts';

/** Opens the color picker for the color at the cursor. False if there is none. */
export function changeColorAtCursor(view: EditorView, client: MarkupClient): boolean {
  const path = view.state.facet(filePath);
  const color = findColorAt(view, view.state.selection.main.head);
  if (view.state.readOnly || !color || !(isMarkup(path) || isStyle(path))) return false;
  openColorPicker(view, color, client);
  return true;
}

/** Opens the color picker. A confirmed change is one undo step. */
export function openColorPicker(
  view: EditorView,
  color: ColorInformation,
  client: MarkupClient,
): void {
  const { doc } = view.state;
  void showFormPanel<Color>(view, (submit) => createColorForm(color, submit)).then((chosen) =>
    chosen ? replaceColor(view, doc, color, chosen, client) : undefined,
  );
}

/** Replaces the color in its own notation, unless the text has changed. */
async function replaceColor(
  view: EditorView,
  doc: EditorView['state']['doc'],
  { from, to }: ColorInformation,
  color: Color,
  client: MarkupClient,
): Promise<void> {
  const path = view.state.facet(filePath);
  const insert = await client.request('colorPresentation', { path, from, to, color });
  if (insert == null) return;
  if (view.state.doc !== doc) return showMessageAtCursor(view, 'The code has changed. Try again.');
  view.dispatch({ changes: { from, to, insert }, userEvent: 'input.color' });
}

function createColorForm(color: Color, submit: (color: Color) => void): PanelForm {
  const form = document.createElement('form');
  const colorField = document.createElement('input');
  colorField.type = 'color';
  colorField.value = formatHexColor(color);
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
    createElementWithText('button', 'cm-button', 'Change'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(parseColorFields(colorField.value, opacityField.valueAsNumber || 0));
  });
  return { form, initialFocus: colorField };
}

function createLabel(text: string, field: HTMLElement): HTMLElement {
  const label = createElementWithText('label', '', text);
  label.append(field);
  return label;
}
