import { createSnippet } from './completion-entries.ts';
import type { MarkupCompletion } from './messages.ts';

const ruleSnippets = [
  createSnippet('media-dark', 'dark mode', '@media (prefers-color-scheme: dark) {\n\t$0\n}'),
  createSnippet(
    'media-still',
    'reduced motion',
    '@media (prefers-reduced-motion: reduce) {\n\t$0\n}',
  ),
  createSnippet('media-narrow', 'narrow screens', '@media (width < ${1:40rem}) {\n\t$0\n}'),
  createSnippet(
    'container-narrow',
    'narrow containers',
    '@container (width < ${1:30rem}) {\n\t$0\n}',
  ),
  createSnippet(
    'keyframes',
    'animation',
    '@keyframes ${1:name} {\n\tfrom {\n\t\t$2\n\t}\n\tto {\n\t\t$0\n\t}\n}',
  ),
  createSnippet(
    'font-face',
    'web font',
    "@font-face {\n\tfont-family: '${1:Name}';\n\tsrc: url('${2:font.woff2}');\n\tfont-display: swap;\n}",
  ),
  createSnippet('root', 'custom properties', ':root {\n\t--${1:name}: $0;\n}'),
];

const declarationSnippets = [
  createSnippet(
    'grid-columns',
    'responsive columns',
    'display: grid;\ngrid-template-columns: repeat(auto-fill, minmax(min(${1:16rem}, 100%), 1fr));\ngap: ${2:1rem};',
  ),
  createSnippet('grid-center', 'centered content', 'display: grid;\nplace-items: center;'),
  createSnippet('flex-row', 'row', 'display: flex;\nalign-items: center;\ngap: ${1:1rem};'),
  createSnippet(
    'flex-column',
    'column',
    'display: flex;\nflex-direction: column;\ngap: ${1:1rem};',
  ),
  createSnippet(
    'ellipsis',
    'truncated text',
    'overflow: hidden;\ntext-overflow: ellipsis;\nwhite-space: nowrap;',
  ),
  createSnippet(
    'visually-hidden',
    'for screen readers only',
    'position: absolute;\nwidth: 1px;\nheight: 1px;\noverflow: hidden;\nclip-path: inset(50%);\nwhite-space: nowrap;',
  ),
];

/** CSS snippets for the top level or inside of a rule. */
export function styleSnippets(contextKind: string): readonly MarkupCompletion[] {
  if (contextKind === 'property') return declarationSnippets;
  return contextKind === 'top' ? ruleSnippets : [];
}
