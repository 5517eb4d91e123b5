import { StateEffect, StateField } from '@codemirror/state';
import { showPanel, type EditorView, type Panel } from '@codemirror/view';
import { createElementWithText } from './render-documentation.ts';

type PanelConstructor = (view: EditorView) => Panel;

const setPanel = StateEffect.define<PanelConstructor | null>();

/** The open form panel above the code. */
export const formPanel = StateField.define<PanelConstructor | null>({
  create: () => null,
  update(value, { effects }) {
    for (const effect of effects) if (effect.is(setPanel)) return effect.value;
    return value;
  },
  provide: (field) => showPanel.from(field),
});

/** A form for a panel, and the field to focus first. */
export interface PanelForm {
  readonly form: HTMLFormElement;
  readonly initialFocus: HTMLInputElement;
}

/**
 * Shows a form in a panel above the code. Resolves with the submitted value, or undefined if it is
 * dismissed with Escape, the close button, or by showing another file.
 */
export function showFormPanel<T>(
  view: EditorView,
  createForm: (submit: (value: T | undefined) => void) => PanelForm,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const submit = (value: T | undefined) => {
      // Resolves before the panel closes, since closing resolves with undefined.
      resolve(value);
      view.focus();
      view.dispatch({ effects: setPanel.of(null) });
    };
    let isDismissed = false;
    const openPanel = (shownIn: EditorView) => {
      // The dismissed panel's file is shown again: removes the panel from its state.
      if (isDismissed) queueMicrotask(() => shownIn.dispatch({ effects: setPanel.of(null) }));
      const destroy = () => {
        isDismissed = true;
        resolve(undefined);
      };
      return { ...createPanel(createForm(submit), () => submit(undefined)), destroy };
    };
    view.dispatch({ effects: setPanel.of(openPanel) });
  });
}

function createPanel({ form, initialFocus }: PanelForm, dismiss: () => void): Panel {
  form.classList.add('cm-form');
  const close = createElementWithText('button', '', '×');
  close.setAttribute('name', 'close');
  close.setAttribute('type', 'button');
  close.setAttribute('aria-label', 'Close');
  close.addEventListener('click', dismiss);
  form.append(close);
  form.addEventListener('keydown', (event) => {
    // Keeps keys in the form from reaching the editor.
    event.stopPropagation();
    if (event.key === 'Escape') dismiss();
  });
  return { dom: form, top: true, mount: () => (initialFocus.focus(), initialFocus.select()) };
}
