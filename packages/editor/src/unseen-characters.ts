import type { Extension } from '@codemirror/state';
import { highlightSpecialChars } from '@codemirror/view';

/**
 * Characters that are invisible or reorder the text around them ("Trojan Source"), beyond those
 * that CodeMirror marks by default: bidirectional embeddings and isolates, word joiners, blank
 * letters and tag characters. Zero-width (non-)joiners are left alone: Persian, Indic scripts and
 * emoji need them.
 */
const invisible =
  /[\u115f\u1160\u180e\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\uffa0\u{e0001}\u{e0020}-\u{e007f}]/gu;

/**
 * Shows each invisible character as a labeled marker. The marker is not text, so it does not change
 * the reading order of its line.
 */
export const unseenCharacters: Extension = highlightSpecialChars({
  addSpecialChars: invisible,
  render: (code, description, glyph) => {
    const marker = document.createElement('span');
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    marker.className = 'cm-specialChar';
    marker.textContent = code < 0x20 ? glyph : name;
    marker.title = `${description} ${name}`;
    marker.setAttribute('role', 'img');
    marker.setAttribute('aria-label', `${description} ${name}`);
    return marker;
  },
});
