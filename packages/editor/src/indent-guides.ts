import { indentationMarkers } from '@replit/codemirror-indentation-markers';
import type { Extension } from '@codemirror/state';

const inactive = 'var(--editor-line)';
const active = 'var(--editor-gutter-foreground)';

/** Indent guides: a vertical line per indentation level, stronger at the cursor's. */
export const indentGuides: Extension = indentationMarkers({
  hideFirstIndent: true,
  markerType: 'codeOnly',
  activeThickness: 1,
  colors: { light: inactive, dark: inactive, activeLight: active, activeDark: active },
});
