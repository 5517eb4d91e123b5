import { StateEffect, StateField } from '@codemirror/state';
import { showPanel, type EditorView, type Panel } from '@codemirror/view';
import { element } from './code-nodes.ts';

type OpenPanel = (view: EditorView) => Panel;

const setPanel = StateEffect.define<OpenPanel | null>();

/** The form above the code, while there is one. */
export const formPanel = StateField.define<OpenPanel | null>({
  create: () => null,
  update(value, { effects }) {
    for (const effect of effects) if (effect.is(setPanel)) return effect.value;
    return value;
  },
  provide: (field) => showPanel.from(field),
});

/** A form, and what of it has the focus first. */
export interface AskedForm {
  readonly form: HTMLFormElement;
  readonly first: HTMLInputElement;
}

/**
 * Shows a form above the code, which settles with what it was filled in with. Undefined where it was
 * left: by Escape, the cross, or for another file.
 */
export function askInPanel<T>(
  view: EditorView,
  create: (settle: (answer: T | undefined) => void) => AskedForm,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: T | undefined) => {
      // First, since the panel that goes says that it was left.
      resolve(answer);
      view.focus();
      view.dispatch({ effects: setPanel.of(null) });
    };
    let isLeft = false;
    const open = (shownIn: EditorView) => {
      // Its file is shown again, and nobody waits for the answer any more.
      if (isLeft) queueMicrotask(() => shownIn.dispatch({ effects: setPanel.of(null) }));
      const destroy = () => {
        isLeft = true;
        resolve(undefined);
      };
      return { ...createPanel(create(settle), () => settle(undefined)), destroy };
    };
    view.dispatch({ effects: setPanel.of(open) });
  });
}

function createPanel({ form, first }: AskedForm, leave: () => void): Panel {
  form.classList.add('cm-form');
  const close = element('button', '', '×');
  close.setAttribute('name', 'close');
  close.setAttribute('type', 'button');
  close.setAttribute('aria-label', 'Close');
  close.addEventListener('click', leave);
  form.append(close);
  form.addEventListener('keydown', (event) => {
    // Its keys are none of the editor's.
    event.stopPropagation();
    if (event.key === 'Escape') leave();
  });
  return { dom: form, top: true, mount: () => (first.focus(), first.select()) };
}
