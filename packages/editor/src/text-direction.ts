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
 * Direction of text with right-to-left scripts (Hebrew, Arabic and others). Lines of code are
 * always left-to-right; strings, comments and tags in them are bidi-isolated, so that their words
 * do not swap places with the code around them. Lines of prose take the direction of their first
 * letter.
 */

/**
 * Letters of right-to-left scripts: Hebrew to Arabic Extended-A, their presentation forms, and
 * those in the supplementary planes.
 */
export const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const prose = /\.(md|markdown|txt)$/i;

/** Sets the direction of a file's lines, by its path. */
export function textDirection(path: string): Extension {
  return prose.test(path)
    ? [EditorView.perLineTextDirection.of(true), autoDirectionLines]
    : isolates;
}

const isolates = bidiIsolates();
const autoDirection = Decoration.line({ attributes: { dir: 'auto' } });

/**
 * Sets `dir=auto` on lines with right-to-left letters only, since CodeMirror measures the direction
 * of each such line.
 */
const autoDirectionLines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorateLines(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged)
        this.decorations = decorateLines(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorateLines({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let lastLine = 0;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      at = line.to + 1;
      if (line.number === lastLine) continue;
      lastLine = line.number;
      if (rightToLeft.test(line.text)) builder.add(line.from, line.from, autoDirection);
    }
  }
  return builder.finish();
}
