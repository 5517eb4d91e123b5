import type { EditorView } from '@codemirror/view';
import { element } from './code-nodes.ts';
import { askInPanel, type AskedForm } from './form-panel.ts';

/** Asks for another name above the code. Undefined where it was left. */
export function askName(view: EditorView, before: string): Promise<string | undefined> {
  return askInPanel<string>(view, (settle) => createForm(before, settle));
}

function createForm(before: string, settle: (name: string) => void): AskedForm {
  const form = document.createElement('form');
  const first = document.createElement('input');
  first.className = 'cm-textfield';
  first.value = before;
  first.spellcheck = false;
  first.autocapitalize = 'off';
  const label = element('label', '', `Rename ${before} to `);
  label.append(first);
  form.append(label, element('button', 'cm-button', 'Rename'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    settle(first.value.trim());
  });
  return { form, first };
}
