import { indentationMarkers } from '@replit/codemirror-indentation-markers';
import type { Extension } from '@codemirror/state';

const quiet = 'var(--editor-line)';
const active = 'var(--editor-gutter-foreground)';

/** A line at each step of indentation, stronger where the cursor is. */
export const guides: Extension = indentationMarkers({
  hideFirstIndent: true,
  markerType: 'codeOnly',
  activeThickness: 1,
  colors: { light: quiet, dark: quiet, activeLight: active, activeDark: active },
});
