import type { Impact, LocatedIssue } from '@vitrine/sandbox/host';

/**
 * Message by axe rule id: the issue and its fix. Rules without an entry show axe's own help text.
 */
const messages: Readonly<Record<string, string>> = {
  'aria-allowed-attr': 'ARIA attribute isn’t allowed for this role. Remove it or change the role.',
  'aria-hidden-focus':
    'Element is hidden from screen readers but can still receive focus. Remove it from the tab order.',
  'aria-required-attr': 'Role is missing a required ARIA attribute. Add it.',
  'aria-required-children': 'Role is missing required child roles. Add elements with those roles.',
  'aria-required-parent': 'Role isn’t inside the parent role it requires. Move it into one.',
  'aria-roles': 'Unknown ARIA role. Check the spelling.',
  'aria-valid-attr': 'Unknown ARIA attribute. Check the spelling.',
  'aria-valid-attr-value':
    'ARIA attribute has an invalid value or refers to an id that doesn’t exist. Fix the value or the id.',
  'button-name':
    'Button has no name, so screen readers only say “button”. Add text or an aria-label.',
  'color-contrast': 'Low color contrast. Make the text or its background darker or lighter.',
  'document-title': 'Page has no title. Add a <title>: it names the tab and is read first.',
  'duplicate-id-aria':
    'An id used by a label or ARIA attribute isn’t unique. Give each element its own id.',
  'empty-heading': 'Heading is empty. Add text or remove it.',
  'form-field-multiple-labels':
    'Form field has more than one label. Some screen readers only read one of them. Keep only one.',
  'frame-title': 'Frame has no title. Describe its content in a title attribute.',
  'heading-order': 'Heading level is skipped. Go down one level at a time.',
  'html-has-lang': 'Page has no language. Add a lang attribute to <html>, such as lang="en".',
  'html-lang-valid': 'Page language isn’t valid. Check the lang attribute of <html>.',
  'image-alt':
    'Image has no alt text. Describe it in an alt attribute, or use alt="" if it’s decorative.',
  'input-button-name': 'Input button has no name. Add a value.',
  label: 'Form field has no label. Add a <label>.',
  'landmark-one-main': 'Page has no main landmark. Put its main content in <main>.',
  'landmark-unique': 'Two landmarks have the same role and name. Give each a unique name.',
  'link-in-text-block': 'Link differs from the text around it only by color. Underline it.',
  'link-name': 'Link has no text. Say where it leads.',
  list: 'List contains an element that isn’t a list item. Only put <li> in <ul> and <ol>.',
  listitem: 'List item isn’t in a list. Put it in <ul> or <ol>.',
  'meta-viewport': 'Page disables zooming. Remove user-scalable=no and maximum-scale.',
  'nested-interactive':
    'Control is inside another control, where screen readers can’t reach it. Move it out.',
  'page-has-heading-one': 'Page has no top-level heading. Start its content with an <h1>.',
  region: 'Some content is outside any landmark. Put it in <main>, <header>, <nav>, or <footer>.',
  'scrollable-region-focusable':
    'Scrollable area can’t be reached with the keyboard. Add tabindex="0".',
  'select-name': 'Select has no label. Add a <label>.',
  'svg-img-alt': 'SVG image has no name. Add a <title> inside it or an aria-label.',
  tabindex: 'A tabindex above 0 breaks the tab order. Use 0 or remove it.',
  'target-size':
    'Touch target is too small or too close to another one. Make it at least 24 × 24 pixels.',
  'video-caption': 'Video has no captions. Add a <track kind="captions">.',
};

/** Message of a finding. */
export function describeFinding({ rule, help }: LocatedIssue): string {
  return messages[rule] ?? `${help}.`;
}

export const impactLabels: Readonly<Record<Impact, string>> = {
  critical: 'Critical',
  serious: 'Serious',
  moderate: 'Moderate',
  minor: 'Minor',
};

export const impactOrder: readonly Impact[] = ['critical', 'serious', 'moderate', 'minor'];
