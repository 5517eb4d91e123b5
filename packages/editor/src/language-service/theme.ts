import { EditorView } from '@codemirror/view';

/**
 * Theme of what the language services show: hover tooltips, signatures, choice lists and form
 * panels.
 */
export const languageServiceTheme = EditorView.theme({
  // Lets the documentation of the selected completion extend beside the list.
  '.cm-tooltip.cm-tooltip-autocomplete': { overflow: 'visible' },
  '.cm-tooltip.cm-completionInfo': {
    width: 'max-content',
    maxWidth: '440px',
    padding: '0',
    overflow: 'auto',
  },
  '.cm-completionIcon-deprecated + .cm-completionLabel': { textDecoration: 'line-through' },
  '.cm-described': {
    maxWidth: '560px',
    maxHeight: '280px',
    overflow: 'auto',
    padding: '6px 10px',
    font: '13px/20px var(--editor-interface-font)',
  },
  '.cm-described-code': {
    display: 'block',
    fontFamily: 'var(--editor-font)',
    fontSize: '12px',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-described-text': { marginTop: '6px' },
  '.cm-described-text p': { margin: '0 0 6px', whiteSpace: 'pre-line' },
  '.cm-described-text p > code': { fontFamily: 'var(--editor-font)', fontSize: '12px' },
  '.cm-signature strong': { textDecoration: 'underline', textUnderlineOffset: '3px' },
  '.cm-signature-count': { color: 'var(--editor-gutter-foreground)' },
  '.cm-swatch': {
    display: 'inline-block',
    width: '0.8em',
    height: '0.8em',
    marginRight: '0.25em',
    border: '1px solid var(--editor-gutter-foreground)',
    borderRadius: '2px',
    // A checkerboard shows through translucent colors.
    background:
      'linear-gradient(var(--swatch) 0 0), repeating-conic-gradient(#999 0 25%, #fff 0 50%) 0 0 / 50% 50%',
    verticalAlign: '-0.05em',
    cursor: 'pointer',
  },
  '.cm-panel.cm-form label': { display: 'flex', alignItems: 'center', gap: '8px' },
  '.cm-color-field': {
    width: '44px',
    height: '28px',
    padding: '2px',
    border: '1px solid var(--editor-line)',
    borderRadius: '6px',
    background: 'var(--editor-background)',
  },
  '.cm-panel .cm-opacity-field': { width: '64px' },
  '.cm-choices': { font: '13px/20px var(--editor-interface-font)' },
  '.cm-choices-title': { padding: '4px 10px', color: 'var(--editor-gutter-foreground)' },
  '.cm-choices-message': { padding: '4px 10px', font: '13px/20px var(--editor-interface-font)' },
  '.cm-choices ul': {
    listStyle: 'none',
    margin: '0',
    padding: '0 0 4px',
    maxWidth: '640px',
    maxHeight: '240px',
    overflow: 'auto',
    outline: 'none',
  },
  '.cm-choices li': {
    padding: '4px 10px',
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    cursor: 'default',
  },
  '.cm-choices li[aria-selected=true]': { backgroundColor: 'var(--editor-option-background)' },
  '.cm-choices-detail': {
    marginLeft: '8px',
    color: 'var(--editor-gutter-foreground)',
    fontFamily: 'var(--editor-font)',
    fontSize: '12px',
  },
  '.cm-panel.cm-form': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '8px',
    padding: '4px 36px 4px 8px',
  },
  // One row, however narrow the editor and long the name.
  '.cm-panel.cm-rename': { flexWrap: 'nowrap' },
  '.cm-panel.cm-rename label': { flex: '0 1 auto', minWidth: '0' },
  '.cm-panel.cm-rename label span': {
    minWidth: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-panel.cm-rename .cm-textfield': { flexShrink: '0', width: '160px' },
  '.cm-panel.cm-form [name=close]': { position: 'absolute', border: 'none', background: 'none' },
});
