import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { createElementWithText } from './render-documentation.ts';

export interface Choice {
  readonly label: string;
  /** Secondary text after the label. */
  readonly detail?: string;
  choose(): void;
}

interface ChoiceListSpec {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Document position of the list. */
  readonly position: number;
}

const setContent = StateEffect.define<ChoiceListSpec | string | null>();

/** A focused list at the cursor, or a message there. */
const choiceTooltip = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, { docChanged, selection, effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setContent)) continue;
      if (effect.value === null) return null;
      const pos = state.selection.main.head;
      const { value: content } = effect;
      return typeof content === 'string'
        ? { pos, above: true, create: () => ({ dom: createMessage(content) }) }
        : { pos: content.position, create: (view) => createList(view, content) };
    }
    return docChanged || selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** State and keys of the choice list. Required by `openChoiceList` and `showMessageAtCursor`. */
export const choiceList: Extension = [
  choiceTooltip,
  keymap.of([
    { key: 'Escape', run: (view) => view.state.field(choiceTooltip) !== null && close(view) },
  ]),
];

/** Opens the list and focuses it. It closes before the chosen item's `choose` is called. */
export function openChoiceList(view: EditorView, list: ChoiceListSpec): void {
  view.dispatch({ effects: setContent.of(list) });
}

/**
 * Shows a message at the cursor until the text or selection changes, and announces it to screen
 * readers.
 */
export function showMessageAtCursor(view: EditorView, message: string): void {
  view.dispatch({ effects: [setContent.of(message), EditorView.announce.of(message)] });
}

function createMessage(message: string): HTMLElement {
  return createElementWithText('div', 'cm-choices-message', message);
}

function close(view: EditorView): boolean {
  view.dispatch({ effects: setContent.of(null) });
  return true;
}

function createList(view: EditorView, { title, choices }: ChoiceListSpec) {
  const dom = createElementWithText('div', 'cm-choices');
  const list = createElementWithText('ul', '');
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', title);
  list.tabIndex = 0;
  const items = choices.map((choice, index) => createItem(choice, index));
  list.append(...items);
  dom.append(createElementWithText('div', 'cm-choices-title', title), list);
  let selectedIndex = 0;
  const select = (index: number) => {
    selectedIndex = Math.max(0, Math.min(index, items.length - 1));
    items.forEach((item, position) =>
      item.setAttribute('aria-selected', String(position === selectedIndex)),
    );
    list.setAttribute('aria-activedescendant', items[selectedIndex]?.id ?? '');
    items[selectedIndex]?.scrollIntoView({ block: 'nearest' });
  };
  const choose = () => {
    close(view);
    view.focus();
    choices[selectedIndex]?.choose();
  };
  const keyHandlers: Readonly<Record<string, () => void>> = {
    ArrowDown: () => select(selectedIndex + 1),
    ArrowUp: () => select(selectedIndex - 1),
    Home: () => select(0),
    End: () => select(items.length - 1),
    Enter: choose,
    Escape: () => (close(view), view.focus()),
  };
  list.addEventListener('keydown', (event) => {
    const handler = keyHandlers[event.key];
    if (!handler) return;
    event.preventDefault();
    event.stopPropagation();
    handler();
  });
  // Closes the list when it loses focus.
  list.addEventListener('blur', () => view.state.field(choiceTooltip) && close(view));
  items.forEach((item, index) => {
    item.addEventListener('pointerdown', (event) => event.preventDefault());
    item.addEventListener('click', () => (select(index), choose()));
  });
  select(0);
  return { dom, mount: () => list.focus({ preventScroll: true }) };
}

function createItem({ label, detail = '' }: Choice, index: number): HTMLElement {
  const item = createElementWithText('li', '');
  item.id = `cm-choice-${index}`;
  item.setAttribute('role', 'option');
  item.append(createElementWithText('span', 'cm-choices-label', label));
  if (detail !== '') item.append(' ', createElementWithText('span', 'cm-choices-detail', detail));
  return item;
}
