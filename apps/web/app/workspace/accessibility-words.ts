import type { AccessibilityReport, Impact, PlacedFinding } from '@vitrine/sandbox/host';

/** What a broken rule means to people, and what mends it. Rules without an entry say it in axe's words. */
const sentences: Readonly<Record<string, string>> = {
  'aria-allowed-attr':
    'An aria attribute does nothing on an element of this role. Remove it, or change the role.',
  'aria-hidden-focus':
    'Something hidden from screen readers can still be reached by the keyboard. Take it out of the tab order too.',
  'aria-required-attr': 'A role lacks an attribute that it does not work without.',
  'aria-required-children': 'A role is missing the parts that it has to hold.',
  'aria-required-parent': 'A part stands outside the element that gives it its meaning.',
  'aria-roles': 'There is no such role. Check its spelling.',
  'aria-valid-attr': 'There is no such aria attribute. Check its spelling.',
  'aria-valid-attr-value':
    'An aria attribute has a value that means nothing, or names an id that is not there.',
  'button-name':
    'A button has no name, so a screen reader says only “button”. Give it text or an aria-label.',
  'color-contrast':
    'Text is hard to tell from what is behind it. Make one of them darker or lighter.',
  'document-title': 'The page has no title. Add a <title>, which names the tab and is read first.',
  'duplicate-id-aria': 'An id that a label or aria attribute points to is there more than once.',
  'empty-heading': 'A heading is empty. Give it text or remove it.',
  'form-field-multiple-labels':
    'A field has more than one label, and not all of them are read out.',
  'frame-title': 'A frame has no title. Say in a title attribute what it holds.',
  'heading-order': 'A heading skips a level. Levels should go down one at a time.',
  'html-has-lang': 'The page does not say its language. Add lang to <html>, such as lang="en".',
  'html-lang-valid': 'The page’s language is not one that browsers know. Check the lang of <html>.',
  'image-alt':
    'A picture has no alternative text. Add alt: what it shows, or alt="" if it only decorates.',
  'input-button-name': 'A button made of an <input> has no name. Give it a value.',
  label: 'A form field has no label. Add a <label> for it.',
  'landmark-one-main': 'The page has no main part. Put its contents into <main>.',
  'landmark-unique':
    'Two parts of the page have the same role and name. Give them names of their own.',
  'link-in-text-block': 'A link in a text can be told only by its colour. Underline it.',
  'link-name': 'A link has no text, so nobody is told where it leads.',
  list: 'A list holds something that is no list item. Put only <li> into <ul> and <ol>.',
  listitem: 'A list item stands outside a list. Put it into <ul> or <ol>.',
  'meta-viewport': 'The page forbids zooming. Remove user-scalable=no and maximum-scale.',
  'nested-interactive': 'One control stands inside another, which screen readers cannot reach.',
  'page-has-heading-one':
    'The page has no heading of the first level. Start its contents with an <h1>.',
  region:
    'Some of the page is outside its landmarks. Put it into <main>, <header>, <nav> or <footer>.',
  'scrollable-region-focusable':
    'Something scrolls that the keyboard cannot reach. Give it tabindex="0".',
  'select-name': 'A choice has no label. Add a <label> for it.',
  'svg-img-alt':
    'A drawing has the role of a picture and no name. Add a <title> in it or an aria-label.',
  tabindex: 'A tabindex above 0 puts the order of the keyboard out of step. Use 0 or remove it.',
  'target-size':
    'Something to press is too small, or too near the next one. Make it at least 24 pixels wide and high.',
  'video-caption': 'A video has no captions. Add a <track kind="captions">.',
};

/** The sentence for a finding. */
export function findingWords({ rule, help }: PlacedFinding): string {
  return sentences[rule] ?? `${help}.`;
}

export const impactWords: Readonly<Record<Impact, string>> = {
  critical: 'Keeps people out',
  serious: 'Makes it hard',
  moderate: 'Gets in the way',
  minor: 'Could be better',
};

export const impactOrder: readonly Impact[] = ['critical', 'serious', 'moderate', 'minor'];

/** How many elements there are to be mended, for the tab. */
export function countFound(report: AccessibilityReport): number {
  const found = report.status === 'looked-at' ? report.findings : [];
  return found.reduce((sum, { elements, more }) => sum + elements.length + more, 0);
}
