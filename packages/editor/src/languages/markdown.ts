import {
  deleteMarkupBackward,
  insertNewlineContinueMarkupCommand,
  markdown as markdownSupport,
  markdownLanguage,
} from '@codemirror/lang-markdown';
import { Prec, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { surroundSelectionWith } from '../bracket-closing.ts';

/** Enter in an empty item ends the list, also when items are separated by blank lines. */
const listKeymap = Prec.high(
  keymap.of([
    { key: 'Enter', run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },
    { key: 'Backspace', run: deleteMarkupBackward },
  ]),
);

/** GitHub Flavored Markdown: with tables, task lists and strikethrough. */
export function markdown(): Extension {
  return [
    markdownSupport({ base: markdownLanguage, addKeymap: false }),
    listKeymap,
    surroundSelectionWith('*_`~'),
  ];
}
