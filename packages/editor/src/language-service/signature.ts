import { StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  EditorView,
  keymap,
  showTooltip,
  ViewPlugin,
  type Tooltip,
  type ViewUpdate,
} from '@codemirror/view';
import type { Signature } from '../typescript/messages.ts';
import { filePath, isScriptAt } from '../understood.ts';
import { element, textNode } from './code-nodes.ts';
import type { LanguageClient } from './language-client.ts';

const setSignature = StateEffect.define<Signature | null>();

interface ShownSignature {
  readonly signature: Signature;
  readonly tooltip: Tooltip;
}

const shown = StateField.define<ShownSignature | null>({
  create: () => null,
  update(value, { effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setSignature)) continue;
      const signature = effect.value;
      if (signature === null) return null;
      const pos = Math.min(signature.from, state.doc.length);
      return {
        signature,
        tooltip: { pos, above: true, create: (view) => ({ dom: signatureNode(view, signature) }) },
      };
    }
    return value;
  },
  provide: (field) => showTooltip.from(field, (value) => value?.tooltip ?? null),
});

/** The signature of the call that is being written: it opens with "(" and ",", and closes behind the call. */
export function signatures(client: LanguageClient): Extension {
  const follow = ViewPlugin.define((view) => ({
    update(update: ViewUpdate) {
      const isOpen = update.state.field(shown) !== null;
      if (isOpen ? update.docChanged || update.selectionSet : begins(update))
        void ask(view, client);
    },
  }));
  const escape = (view: EditorView) => {
    if (view.state.field(shown) === null) return false;
    view.dispatch({ effects: setSignature.of(null) });
    return true;
  };
  return [
    shown,
    follow,
    keymap.of([{ key: 'Escape', run: escape }]),
    EditorView.domEventHandlers({ blur: (_event, view) => void escape(view) }),
  ];
}

/** For who asks: screen readers hear it. */
export function showSignature(client: LanguageClient): (view: EditorView) => boolean {
  return (view) => {
    if (!isScriptAt(view.state, view.state.selection.main.head)) return false;
    void saySignature(view, client);
    return true;
  };
}

async function saySignature(view: EditorView, client: LanguageClient): Promise<void> {
  const signature = await ask(view, client);
  if (signature) view.dispatch({ effects: EditorView.announce.of(wordsOf(signature)) });
}

async function ask(view: EditorView, client: LanguageClient): Promise<Signature | null> {
  const { state } = view;
  const path = state.facet(filePath);
  const offset = state.selection.main.head;
  const found = isScriptAt(state, offset) ? await client.ask('signature', { path, offset }) : null;
  const isNow = view.state.doc === state.doc && view.state.selection.main.head === offset;
  if (found === undefined || view.state.facet(filePath) !== path) return null;
  // Somebody types on within the call.
  if (!isNow) return found === null ? null : ask(view, client);
  // What stands there as it is, is left alone.
  if (!isSame(found, view.state.field(shown)?.signature ?? null))
    view.dispatch({ effects: setSignature.of(found) });
  return found;
}

function isSame(one: Signature | null, other: Signature | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function begins({ docChanged, transactions, state }: ViewUpdate): boolean {
  if (!docChanged || !transactions.some((each) => each.isUserEvent('input.type'))) return false;
  const { head } = state.selection.main;
  return /[(,<]/.test(state.sliceDoc(head - 1, head));
}

function wordsOf({ parts }: Signature): string {
  const active = parts.find(({ isActive }) => isActive);
  const whole = parts.map(({ text }) => text).join('');
  return active ? `${active.text}, of ${whole}` : whole;
}

function signatureNode(view: EditorView, { parts, text, index, count }: Signature): HTMLElement {
  const node = element('div', 'cm-described cm-signature');
  const code = element('code', 'cm-described-code');
  for (const part of parts)
    code.append(part.isActive ? element('strong', '', part.text) : part.text);
  if (count > 1) code.append(' ', element('span', 'cm-signature-count', `${index} of ${count}`));
  node.append(code);
  if (text !== '') node.append(textNode(view.state, text));
  return node;
}
