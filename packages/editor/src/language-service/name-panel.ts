import { StateEffect, StateField } from '@codemirror/state';
import { showPanel, type EditorView, type Panel } from '@codemirror/view';
import { element } from './code-nodes.ts';

type OpenPanel = (view: EditorView) => Panel;

const setPanel = StateEffect.define<OpenPanel | null>();

/** The field above the code in which something gets another name. */
export const namePanel = StateField.define<OpenPanel | null>({
  create: () => null,
  update(value, { effects }) {
    for (const effect of effects) if (effect.is(setPanel)) return effect.value;
    return value;
  },
  provide: (field) => showPanel.from(field),
});

/** Undefined where it was left: by Escape, the cross, or for another file. */
export function askName(view: EditorView, before: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const settle = (name: string | undefined) => {
      // First, since the panel that goes says that it was left.
      resolve(name);
      view.focus();
      view.dispatch({ effects: setPanel.of(null) });
    };
    let isLeft = false;
    const open = (shownIn: EditorView) => {
      // Its file is shown again, and nobody waits for the name any more.
      if (isLeft) queueMicrotask(() => shownIn.dispatch({ effects: setPanel.of(null) }));
      const destroy = () => {
        isLeft = true;
        resolve(undefined);
      };
      return { ...createPanel(before, settle), destroy };
    };
    view.dispatch({ effects: setPanel.of(open) });
  });
}

function createPanel(before: string, settle: (name: string | undefined) => void): Panel {
  const form = document.createElement('form');
  form.className = 'cm-rename';
  const field = document.createElement('input');
  field.className = 'cm-textfield';
  field.value = before;
  field.spellcheck = false;
  field.autocapitalize = 'off';
  const label = element('label', '', `Rename ${before} to `);
  label.append(field);
  const close = element('button', '', '×');
  close.setAttribute('name', 'close');
  close.setAttribute('type', 'button');
  close.setAttribute('aria-label', 'Close');
  close.addEventListener('click', () => settle(undefined));
  form.append(label, element('button', 'cm-button', 'Rename'), close);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    settle(field.value.trim());
  });
  form.addEventListener('keydown', (event) => {
    // Its keys are none of the editor's.
    event.stopPropagation();
    if (event.key === 'Escape') settle(undefined);
  });
  return { dom: form, top: true, mount: () => field.select() };
}
