import { bidiIsolates } from '@codemirror/language';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';

/*
 * Hebrew, Arabic and others run from right to left. Lines of code begin at the left whatever is in
 * them, and strings, comments and tags are isolated, so that the words of one never change places
 * with the code beside them. Lines of prose run as their first letter does.
 */

/** Letters of scripts that run from right to left: Hebrew to Arabic Extended-A, their forms, the first of the other planes. */
export const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const prose = /\.(md|markdown|txt)$/i;

/** How lines of a file run. */
export function textDirection(path: string): Extension {
  return prose.test(path) ? [EditorView.perLineTextDirection.of(true), ownDirections] : isolates;
}

const isolates = bidiIsolates();
const ownDirection = Decoration.line({ attributes: { dir: 'auto' } });

/** Only lines that have such letters: the direction of each is asked of the browser. */
const ownDirections = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = findLines(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = findLines(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function findLines({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  let seen = 0;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      at = line.to + 1;
      if (line.number === seen) continue;
      seen = line.number;
      if (rightToLeft.test(line.text)) found.add(line.from, line.from, ownDirection);
    }
  }
  return found.finish();
}
