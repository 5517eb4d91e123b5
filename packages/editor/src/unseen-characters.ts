import type { Extension } from '@codemirror/state';
import { highlightSpecialChars } from '@codemirror/view';

/**
 * What takes no room or changes the order in which text is read (“Trojan Source”), beyond what is
 * marked by default: embeddings and isolates, joiners of words, letters that are empty, and tags.
 * Joiners of letters stay as they are: Persian, Indic scripts and emoji are written with them.
 */
const unseen =
  /[\u115f\u1160\u180e\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\uffa0\u{e0001}\u{e0020}-\u{e007f}]/gu;

/** Shows each as a mark that is itself no text: the line is read in the order in which it runs. */
export const unseenCharacters: Extension = highlightSpecialChars({
  addSpecialChars: unseen,
  render: (code, description, sign) => {
    const mark = document.createElement('span');
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    mark.className = 'cm-specialChar';
    mark.textContent = code < 0x20 ? sign : name;
    mark.title = `${description} ${name}`;
    mark.setAttribute('role', 'img');
    mark.setAttribute('aria-label', `${description} ${name}`);
    return mark;
  },
});
