/** Bare CodeMirror with three languages, showing the text in a global variable. */
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, lineNumbers } from '@codemirror/view';

declare global {
  interface Window {
    bareText?: string;
    /** Shows another text, like opening a file. */
    showText?(text: string): void;
  }
}

const languages = { '#html': html, '#css': css, '': javascript };
const language = languages[location.hash as keyof typeof languages] ?? javascript;

function open(doc: string): void {
  const extensions = [
    lineNumbers(),
    syntaxHighlighting(defaultHighlightStyle),
    EditorView.theme({ '&': { height: '100vh' }, '.cm-scroller': { overflow: 'auto' } }),
    language(),
  ];
  document.body.replaceChildren(new EditorView({ doc, extensions }).dom);
}

window.showText = open;
open(window.bareText ?? '');
