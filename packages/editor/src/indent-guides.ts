import { indentationMarkers } from '@replit/codemirror-indentation-markers';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const inactive = 'var(--editor-line)';
const active = 'var(--editor-gutter-foreground)';

/** The further rows of a wrapped line start at the left edge, where guides would cross the text. */
const firstRowOnly = EditorView.theme({
  '.cm-lineWrapping .cm-indent-markers::before': { bottom: 'auto', height: '1lh' },
});

/** Indent guides: a vertical line per indentation level, stronger at the cursor's. */
export const indentGuides: Extension = [
  firstRowOnly,
  indentationMarkers({
    hideFirstIndent: true,
    markerType: 'codeOnly',
    activeThickness: 1,
    colors: { light: inactive, dark: inactive, activeLight: active, activeDark: active },
  }),
];
