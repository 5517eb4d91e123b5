import { lintGutter, nextDiagnostic } from '@codemirror/lint';
import { closeSearchPanel, highlightSelectionMatches, search } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { basics } from './basics.ts';
import { grownFrom } from './commands/selections.ts';
import { matchCount } from './match-count.ts';
import { replacePreview } from './replace-preview.ts';
import { spoken } from './spoken.ts';

/**
 * Extensions of every open file, whatever its language, including those that `basics` leaves out of
 * the early editor.
 */
export const setup: Extension = [
  // Before the line numbers, so that numbers and fold markers stay close together.
  lintGutter(),
  highlightSelectionMatches(),
  search({ top: true }),
  matchCount,
  replacePreview,
  spoken,
  grownFrom,
  keymap.of([
    { key: 'Escape', run: closeSearchPanel, scope: 'editor search-panel' },
    { key: 'F8', run: nextDiagnostic },
  ]),
  basics,
];
