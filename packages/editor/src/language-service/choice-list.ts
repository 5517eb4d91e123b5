import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { element } from './code-nodes.ts';

export interface Choice {
  readonly label: string;
  /** Quieter, after the label. */
  readonly detail?: string;
  choose(): void;
}

interface Shown {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Where in the text. */
  readonly pos: number;
}

const setShown = StateEffect.define<Shown | string | null>();

/** A list at the cursor that holds the keys while it is open, or a sentence. */
const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, { docChanged, selection, effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setShown)) continue;
      if (effect.value === null) return null;
      const pos = state.selection.main.head;
      const { value: given } = effect;
      return typeof given === 'string'
        ? { pos, above: true, create: () => ({ dom: sentenceNode(given) }) }
        : { pos: given.pos, create: (view) => listView(view, given) };
    }
    return docChanged || selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

export const choiceList: Extension = [
  shown,
  keymap.of([{ key: 'Escape', run: (view) => view.state.field(shown) !== null && close(view) }]),
];

/** Opens the list and gives it the focus; what is chosen closes it first. */
export function openChoices(view: EditorView, list: Shown): void {
  view.dispatch({ effects: setShown.of(list) });
}

/** Says a sentence at the cursor, to the eye and to a screen reader, until something is done. */
export function saySentence(view: EditorView, sentence: string): void {
  view.dispatch({ effects: [setShown.of(sentence), EditorView.announce.of(sentence)] });
}

function sentenceNode(sentence: string): HTMLElement {
  return element('div', 'cm-choices-sentence', sentence);
}

function close(view: EditorView): boolean {
  view.dispatch({ effects: setShown.of(null) });
  return true;
}

function listView(view: EditorView, { title, choices }: Shown) {
  const dom = element('div', 'cm-choices');
  const list = element('ul', '');
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', title);
  list.tabIndex = 0;
  const items = choices.map((choice, index) => itemNode(choice, index));
  list.append(...items);
  dom.append(element('div', 'cm-choices-title', title), list);
  let at = 0;
  const select = (index: number) => {
    at = Math.max(0, Math.min(index, items.length - 1));
    items.forEach((item, each) => item.setAttribute('aria-selected', String(each === at)));
    list.setAttribute('aria-activedescendant', items[at]?.id ?? '');
    items[at]?.scrollIntoView({ block: 'nearest' });
  };
  const choose = () => {
    close(view);
    view.focus();
    choices[at]?.choose();
  };
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => select(at + 1),
    ArrowUp: () => select(at - 1),
    Home: () => select(0),
    End: () => select(items.length - 1),
    Enter: choose,
    Escape: () => (close(view), view.focus()),
  };
  list.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  // Who goes elsewhere has no use for it.
  list.addEventListener('blur', () => view.state.field(shown) && close(view));
  items.forEach((item, index) => {
    item.addEventListener('pointerdown', (event) => event.preventDefault());
    item.addEventListener('click', () => (select(index), choose()));
  });
  select(0);
  return { dom, mount: () => list.focus({ preventScroll: true }) };
}

function itemNode({ label, detail = '' }: Choice, index: number): HTMLElement {
  const item = element('li', '');
  item.id = `cm-choice-${index}`;
  item.setAttribute('role', 'option');
  item.append(element('span', 'cm-choices-label', label));
  if (detail !== '') item.append(' ', element('span', 'cm-choices-detail', detail));
  return item;
}
