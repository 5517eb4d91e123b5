import { EditorView } from '@codemirror/view';

/** The cursor that covers a letter, and the line for commands, in the editor’s own colours. */
export const blockCursor = EditorView.theme({
  '& .cm-fat-cursor, &.cm-focused .cm-fat-cursor': {
    background: 'var(--editor-caret) !important',
    color: 'var(--editor-background) !important',
  },
  '&:not(.cm-focused) .cm-fat-cursor': {
    background: 'none !important',
    outline: '1px solid var(--editor-caret)',
    color: 'transparent !important',
  },
  '& .cm-vim-panel': {
    padding: '2px 8px',
    minHeight: '24px',
    color: 'var(--editor-foreground)',
    backgroundColor: 'var(--editor-panel-background)',
    fontFamily: 'var(--editor-font)',
  },
  '& .cm-vim-panel input': {
    color: 'inherit',
    backgroundColor: 'transparent',
    fontFamily: 'inherit',
  },
});
