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
import { filePath, isScriptAt } from '../language-facets.ts';
import { createElementWithText, renderMarkdown } from './render-documentation.ts';
import type { LanguageClient } from './language-client.ts';

const setSignature = StateEffect.define<Signature | null>();

interface ShownSignature {
  readonly signature: Signature;
  readonly tooltip: Tooltip;
}

const signatureField = StateField.define<ShownSignature | null>({
  create: () => null,
  update(value, { effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setSignature)) continue;
      const signature = effect.value;
      if (signature === null) return null;
      const pos = Math.min(signature.from, state.doc.length);
      return {
        signature,
        tooltip: {
          pos,
          above: true,
          create: (view) => ({ dom: renderSignature(view, signature) }),
        },
      };
    }
    return value;
  },
  provide: (field) => showTooltip.from(field, (value) => value?.tooltip ?? null),
});

/**
 * Parameter hints: the signature of the call at the cursor. Opens on "(" and ",", closes after the
 * call.
 */
export function parameterHints(client: LanguageClient): Extension {
  const follower = ViewPlugin.define((view) => ({
    update(update: ViewUpdate) {
      const isOpen = update.state.field(signatureField) !== null;
      if (isOpen ? update.docChanged || update.selectionSet : isTriggered(update))
        void updateSignature(view, client);
    },
  }));
  const closeSignature = (view: EditorView) => {
    if (view.state.field(signatureField) === null) return false;
    view.dispatch({ effects: setSignature.of(null) });
    return true;
  };
  return [
    signatureField,
    follower,
    keymap.of([{ key: 'Escape', run: closeSignature }]),
    EditorView.domEventHandlers({ blur: (_event, view) => void closeSignature(view) }),
  ];
}

/** Command: opens the parameter hints and announces them to screen readers. */
export function createShowSignatureCommand(client: LanguageClient): (view: EditorView) => boolean {
  return (view) => {
    if (!isScriptAt(view.state, view.state.selection.main.head)) return false;
    void announceSignature(view, client);
    return true;
  };
}

async function announceSignature(view: EditorView, client: LanguageClient): Promise<void> {
  const signature = await updateSignature(view, client);
  if (signature) view.dispatch({ effects: EditorView.announce.of(toAnnouncement(signature)) });
}

async function updateSignature(
  view: EditorView,
  client: LanguageClient,
): Promise<Signature | null> {
  const { state } = view;
  const path = state.facet(filePath);
  const offset = state.selection.main.head;
  const signature = isScriptAt(state, offset)
    ? await client.request('signature', { path, offset })
    : null;
  const isCurrent = view.state.doc === state.doc && view.state.selection.main.head === offset;
  if (signature === undefined || view.state.facet(filePath) !== path) return null;
  // The text or cursor has changed during the request.
  if (!isCurrent) return signature === null ? null : updateSignature(view, client);
  // An unchanged tooltip is not recreated.
  if (!isEqual(signature, view.state.field(signatureField)?.signature ?? null))
    view.dispatch({ effects: setSignature.of(signature) });
  return signature;
}

function isEqual(a: Signature | null, b: Signature | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isTriggered({ docChanged, transactions, state }: ViewUpdate): boolean {
  if (!docChanged || !transactions.some((each) => each.isUserEvent('input.type'))) return false;
  const { head } = state.selection.main;
  return /[(,<]/.test(state.sliceDoc(head - 1, head));
}

function toAnnouncement({ parts }: Signature): string {
  const active = parts.find(({ isActive }) => isActive);
  const whole = parts.map(({ text }) => text).join('');
  return active ? `${active.text}, of ${whole}` : whole;
}

function renderSignature(view: EditorView, { parts, text, index, count }: Signature): HTMLElement {
  const node = createElementWithText('div', 'cm-described cm-signature');
  const code = createElementWithText('code', 'cm-described-code');
  for (const part of parts)
    code.append(part.isActive ? createElementWithText('strong', '', part.text) : part.text);
  if (count > 1)
    code.append(' ', createElementWithText('span', 'cm-signature-count', `${index} of ${count}`));
  node.append(code);
  if (text !== '') node.append(renderMarkdown(view.state, text));
  return node;
}
