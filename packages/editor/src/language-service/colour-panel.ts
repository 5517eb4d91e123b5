import type { EditorView } from '@codemirror/view';
import type { Colour, PlacedColour } from '../markup/messages.ts';
import { filePath, isMarkup, isStyle } from '../understood.ts';
import { saySentence } from './choice-list.ts';
import { element } from './code-nodes.ts';
import { fromFields, toHex } from './colour-values.ts';
import type { MarkupClient } from './markup-client.ts';
import { askInPanel, type AskedForm } from './form-panel.ts';
import { colourAt } from './swatches.ts';

/** Opens the colour at the cursor above the code; false where there is none. */
export function changeColour(view: EditorView, client: MarkupClient): boolean {
  const path = view.state.facet(filePath);
  const colour = colourAt(view, view.state.selection.main.head);
  if (view.state.readOnly || !colour || !(isMarkup(path) || isStyle(path))) return false;
  openColour(view, colour, client);
  return true;
}

/** Opens a colour above the code, to be changed as one step. */
export function openColour(view: EditorView, colour: PlacedColour, client: MarkupClient): void {
  const { doc } = view.state;
  void askInPanel<Colour>(view, (settle) => createForm(colour, settle)).then((chosen) =>
    chosen ? write(view, doc, colour, chosen, client) : undefined,
  );
}

/** In the words that stand there, unless the text is another one by now. */
async function write(
  view: EditorView,
  doc: EditorView['state']['doc'],
  { from, to }: PlacedColour,
  colour: Colour,
  client: MarkupClient,
): Promise<void> {
  const path = view.state.facet(filePath);
  const insert = await client.ask('recolouring', { path, from, to, colour });
  if (insert == null) return;
  if (view.state.doc !== doc)
    return saySentence(view, 'The code has changed meanwhile. Choose again.');
  view.dispatch({ changes: { from, to, insert }, userEvent: 'input.colour' });
}

function createForm(colour: Colour, settle: (chosen: Colour) => void): AskedForm {
  const form = document.createElement('form');
  const field = document.createElement('input');
  field.type = 'color';
  field.value = toHex(colour);
  field.className = 'cm-colour-field';
  const opacity = document.createElement('input');
  opacity.type = 'number';
  opacity.min = '0';
  opacity.max = '100';
  opacity.className = 'cm-textfield cm-opacity-field';
  opacity.value = String(Math.round(colour.alpha * 100));
  form.append(
    labelled('Colour ', field),
    labelled('Opacity in % ', opacity),
    element('button', 'cm-button', 'Change'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    settle(fromFields(field.value, opacity.valueAsNumber || 0));
  });
  return { form, first: field };
}

function labelled(text: string, field: HTMLElement): HTMLElement {
  const label = element('label', '', text);
  label.append(field);
  return label;
}
