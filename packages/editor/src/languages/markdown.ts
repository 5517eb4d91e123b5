import {
  deleteMarkupBackward,
  insertNewlineContinueMarkupCommand,
  markdown as markdownSupport,
  markdownLanguage,
} from '@codemirror/lang-markdown';
import { Prec, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { surroundedBy } from '../closing.ts';

/** Enter in an empty item ends the list, however many items it has. */
const keys = Prec.high(
  keymap.of([
    { key: 'Enter', run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },
    { key: 'Backspace', run: deleteMarkupBackward },
  ]),
);

/** Markdown as GitHub writes it: with tables, task lists and strikethrough. */
export function markdown(): Extension {
  return [
    markdownSupport({ base: markdownLanguage, addKeymap: false }),
    keys,
    surroundedBy('*_`~'),
  ];
}
