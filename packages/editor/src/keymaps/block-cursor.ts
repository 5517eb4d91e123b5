import { EditorView } from '@codemirror/view';

/** Colors Vim's and Emacs's block cursor and Vim's command line with the editor's theme. */
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
