import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

/** A 1.8 px diagonal stroke across an element's box, ending in the corner named by `towards`. */
const diagonalStroke = (towards: string) =>
  `linear-gradient(${towards}, transparent calc(50% - 0.9px), currentColor calc(50% - 0.35px) calc(50% + 0.35px), transparent calc(50% + 0.9px))`;

const baseTheme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--editor-foreground)',
    backgroundColor: 'var(--editor-background)',
    fontSize: 'var(--editor-font-size)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--editor-font)',
    // Ligatures are off by default: `</` and `/>` stay two characters each.
    fontVariantLigatures: 'var(--editor-ligatures)',
    lineHeight: 'var(--editor-line-height)',
  },
  '.cm-content': { caretColor: 'var(--editor-caret)', padding: '8px 0' },
  '.cm-line': { padding: '0 8px' },
  '.cm-cursor, .cm-dropCursor': {
    borderLeftColor: 'var(--editor-caret)',
    borderLeftWidth: '2px',
  },
  '& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--editor-selection)' },
  // Only the focused editor highlights its active line.
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': {
    backgroundColor: 'var(--editor-active-line)',
  },
  // The active line's color would cover the selection.
  '&.cm-focused.cm-selecting .cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--editor-foreground)' },
  '.cm-gutters': {
    color: 'var(--editor-gutter-foreground)',
    backgroundColor: 'var(--editor-background)',
    borderRight: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 0' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '100%' },
  '.cm-foldGutter .cm-gutterElement': {
    display: 'grid',
    placeItems: 'center',
    width: '10px',
  },
  // Fold arrows are drawn as two gradient strokes: glyphs differ in height between fonts, and a
  // rotated corner would be a compositing layer of its own, repainted with each keystroke.
  '.cm-foldGutter .cm-foldMarker': {
    width: '8px',
    height: '4px',
    padding: '0',
    background: `${diagonalStroke('to top right')} left / 50% 100% no-repeat, ${diagonalStroke('to top left')} right / 50% 100% no-repeat`,
  },
  '.cm-foldGutter .cm-foldMarker-closed': {
    width: '4px',
    height: '8px',
    background: `${diagonalStroke('to top right')} top / 100% 50% no-repeat, ${diagonalStroke('to top left')} bottom / 100% 50% no-repeat`,
  },
  '.cm-foldPlaceholder': {
    color: 'var(--editor-gutter-foreground)',
    backgroundColor: 'var(--editor-active-line)',
    border: '1px solid var(--editor-line)',
    borderRadius: '4px',
    padding: '0 6px',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--editor-match)',
    outline: '1px solid var(--editor-line)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--editor-mismatch)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--editor-match)' },
  '.cm-searchMatch': { backgroundColor: 'var(--editor-search-match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--editor-search-current)' },
  '.cm-replaced': { textDecoration: 'line-through' },
  '.cm-replacement': { padding: '0 2px', backgroundColor: 'var(--editor-option-background)' },
  '.cm-specialChar': { color: 'var(--editor-error)', outline: '1px solid var(--editor-error)' },
});

/**
 * In forced-colors mode the browser paints a background behind each text, which would hide a
 * selection.
 */
const forcedColors = EditorView.theme({
  '@media (forced-colors: active)': {
    '.cm-content, .cm-content *': { forcedColorAdjust: 'none', color: 'CanvasText !important' },
    '.cm-content': { caretColor: 'CanvasText !important' },
    '.cm-selectionBackground': {
      forcedColorAdjust: 'none',
      background: 'Highlight !important',
      opacity: '0.45',
    },
    '.cm-cursor': { borderLeftColor: 'CanvasText' },
  },
});

const panelsAndTooltips = EditorView.theme({
  '.cm-panels': {
    containerType: 'inline-size',
    color: 'var(--editor-foreground)',
    backgroundColor: 'var(--editor-panel-background)',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--editor-line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--editor-line)' },
  '.cm-textfield, .cm-button': {
    color: 'inherit',
    background: 'var(--editor-background)',
    border: '1px solid var(--editor-line)',
    borderRadius: '6px',
    height: '28px',
    padding: '0 8px',
    fontSize: 'inherit',
  },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, .cm-panel [name=close]:focus-visible': {
    outline: '2px solid var(--editor-focus)',
    outlineOffset: '1px',
  },
  '.cm-panel': { font: '13px/20px var(--editor-interface-font)' },
  '.cm-panel.cm-tooDeep': { padding: '4px 12px' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px',
    // The right padding leaves room for the close button.
    padding: '4px 36px 4px 8px',
  },
  // The replace controls get a row of their own.
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search:has([name=replace])::after': {
    content: '""',
    flexBasis: '100%',
    order: '1',
  },
  '.cm-panel.cm-search [name^=replace]': { order: '2' },
  '.cm-panel.cm-search :is(input, button, label)': { margin: '0' },
  '.cm-panel .cm-textfield': { flex: '0 1 220px', minWidth: '0' },
  '.cm-matchCount': { minWidth: '72px', color: 'var(--editor-gutter-foreground)' },
  // The options and steps are symbols. Their names stay those of the text, which is only made
  // invisible.
  '.cm-panel.cm-search :is(label:has(input), [name=next], [name=prev])': {
    position: 'relative',
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    minWidth: '28px',
    height: '28px',
    padding: '0 4px',
    border: 'none',
    borderRadius: '6px',
    background: 'none',
    color: 'var(--editor-gutter-foreground)',
    fontSize: '0',
    '&:hover': { background: 'var(--editor-active-line)', color: 'var(--editor-foreground)' },
    '&::after': { fontSize: '13px' },
  },
  '.cm-panel.cm-search label input': {
    appearance: 'none',
    position: 'absolute',
    inset: '0',
    outline: 'none',
  },
  '.cm-panel.cm-search label:has(:checked)': {
    background: 'var(--editor-option-background)',
    color: 'var(--editor-foreground)',
  },
  '.cm-panel.cm-search label:has(:focus-visible)': {
    outline: '2px solid var(--editor-focus)',
    outlineOffset: '-1px',
  },
  '.cm-panel.cm-search label:has([name=case])::after': { content: '"Aa" / ""' },
  '.cm-panel.cm-search label:has([name=re])::after': { content: '".*" / ""' },
  '.cm-panel.cm-search label:has([name=word])::after': {
    content: '"ab" / ""',
    textDecoration: 'underline',
  },
  '.cm-panel.cm-search [name=next]::after': { content: '"↓" / ""' },
  '.cm-panel.cm-search [name=prev]::after': { content: '"↑" / ""' },
  '@container (max-width: 600px)': {
    '.cm-panel.cm-search .cm-textfield': { flexBasis: '140px' },
  },
  '.cm-panel .cm-button': {
    backgroundImage: 'none',
    fontWeight: '500',
    '&:hover, &:active': { background: 'var(--editor-active-line)' },
  },
  '.cm-panel [name=close]': {
    width: '28px',
    height: '28px',
    top: '4px',
    right: '4px',
    borderRadius: '6px',
    color: 'inherit',
    fontSize: '18px',
    '&:hover': { background: 'var(--editor-active-line)' },
  },
  '.cm-tooltip': {
    color: 'var(--editor-foreground)',
    backgroundColor: 'var(--editor-float-background)',
    border: '1px solid var(--editor-line)',
    borderRadius: '6px',
    boxShadow: 'var(--editor-float-shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--editor-font)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--editor-foreground)',
    backgroundColor: 'var(--editor-option-background)',
  },
  // Touch targets are at least 44 px high.
  '@media (pointer: coarse)': {
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
      minHeight: '44px',
      padding: '10px 12px',
      boxSizing: 'border-box',
    },
  },
  '.cm-completionIcon': { opacity: '1', color: 'var(--editor-gutter-foreground)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--editor-gutter-foreground)' },
  '.cm-diagnostic': { padding: '4px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--editor-error)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--editor-warning)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--editor-info)' },
  '.cm-lintRange': { backgroundImage: 'none', textDecorationSkipInk: 'none' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--editor-error)' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--editor-warning)' },
  '.cm-lintRange-info': { textDecoration: 'underline dotted var(--editor-info)' },
  // The lint gutter's default markers are images with fixed colors; these follow the theme.
  '.cm-lint-marker': { content: 'none', display: 'grid', placeItems: 'center', height: '100%' },
  '.cm-lint-marker::before': { content: '"●"', fontSize: '0.8em', lineHeight: '1' },
  '.cm-lint-marker-error::before': { color: 'var(--editor-error)' },
  '.cm-lint-marker-warning::before': { content: '"▲"', color: 'var(--editor-warning)' },
  '.cm-lint-marker-info::before': { content: '"■"', color: 'var(--editor-info)' },
});

/** Plain variable names have the default text color, so they need no element of their own. */
const syntaxColors = HighlightStyle.define([
  {
    tag: [t.keyword, t.modifier, t.definitionKeyword, t.controlKeyword],
    color: 'var(--syntax-keyword)',
  },
  {
    tag: [t.string, t.special(t.string), t.character, t.attributeValue],
    color: 'var(--syntax-string)',
  },
  { tag: [t.number, t.unit], color: 'var(--syntax-number)' },
  { tag: [t.bool, t.null, t.atom, t.color, t.self], color: 'var(--syntax-constant)' },
  { tag: [t.comment, t.meta, t.documentMeta], color: 'var(--syntax-comment)', fontStyle: 'italic' },
  {
    tag: [t.function(t.variableName), t.function(t.propertyName)],
    color: 'var(--syntax-function)',
  },
  { tag: [t.typeName, t.className, t.namespace], color: 'var(--syntax-type)' },
  { tag: [t.propertyName, t.definition(t.propertyName)], color: 'var(--syntax-property)' },
  { tag: t.tagName, color: 'var(--syntax-tag)' },
  { tag: t.attributeName, color: 'var(--syntax-attribute)' },
  { tag: [t.operator, t.operatorKeyword], color: 'var(--syntax-operator)' },
  { tag: [t.punctuation, t.bracket, t.angleBracket], color: 'var(--syntax-punctuation)' },
  { tag: [t.regexp, t.escape], color: 'var(--syntax-regexp)' },
  { tag: t.heading, color: 'var(--syntax-heading)', fontWeight: '700' },
  { tag: [t.link, t.url], color: 'var(--syntax-link)', textDecoration: 'underline' },
  { tag: t.emphasis, fontStyle: 'italic' },
  { tag: t.strong, fontWeight: '700' },
  { tag: t.strikethrough, textDecoration: 'line-through' },
  { tag: t.invalid, color: 'var(--syntax-invalid)' },
]);

/** The editor's theme, built only from the custom properties in editor.css. */
export const theme: Extension = [
  baseTheme,
  panelsAndTooltips,
  forcedColors,
  syntaxHighlighting(syntaxColors),
];
