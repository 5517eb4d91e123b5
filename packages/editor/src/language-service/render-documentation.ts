import { typescriptLanguage } from '@codemirror/lang-javascript';
import { highlightingFor } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { highlightCode } from '@lezer/highlight';
import type { Documentation } from '../typescript/messages.ts';

/** Renders documentation: a highlighted declaration and the text of its doc comment. */
export function renderDocumentation(
  state: EditorState,
  { code, text }: Documentation,
): HTMLElement {
  const node = createElementWithText('div', 'cm-described');
  if (code !== '') node.append(renderCode(state, code));
  if (text !== '') node.append(renderMarkdown(state, text));
  return node;
}

/** Renders code with the editor's syntax colors. */
function renderCode(state: EditorState, code: string): HTMLElement {
  const node = createElementWithText('code', 'cm-described-code');
  const style = {
    style: (tags: Parameters<typeof highlightingFor>[1]) => highlightingFor(state, tags),
  };
  highlightCode(
    code,
    typescriptLanguage.parser.parse(code),
    style,
    (text, classes) =>
      node.append(classes === '' ? text : createElementWithText('span', classes, text)),
    () => node.append('\n'),
  );
  return node;
}

/**
 * Renders the Markdown that doc comments use most: code blocks, inline code and tags. Everything
 * else is plain text.
 */
export function renderMarkdown(state: EditorState, text: string): HTMLElement {
  const node = createElementWithText('div', 'cm-described-text');
  const pieces = text.split(/```\w*\n?([\s\S]*?)(?:```|$)/);
  pieces.forEach((piece, index) => {
    if (piece.trim() === '') return;
    if (index % 2 === 1) node.append(renderCode(state, piece.trimEnd()));
    else node.append(renderParagraph(piece.trim()));
  });
  return node;
}

function renderParagraph(text: string): HTMLElement {
  const node = createElementWithText('p', '');
  const plain = text.replace(
    /\{@link(?:code|plain)?\s+([^}|\s]+)[|\s]*([^}]*)\}/g,
    (_all, target: string, label: string) => label || target,
  );
  plain.split(/(`[^`\n]+`|^\*@\w+\*)/m).forEach((piece, index) => {
    if (index % 2 === 1)
      node.append(
        createElementWithText(piece.startsWith('`') ? 'code' : 'em', '', piece.slice(1, -1)),
      );
    else if (piece !== '') node.append(piece);
  });
  return node;
}

/** Creates an element with a class and text, both optional. */
export function createElementWithText(name: string, className: string, text = ''): HTMLElement {
  const node = document.createElement(name);
  if (className !== '') node.className = className;
  if (text !== '') node.textContent = text;
  return node;
}
