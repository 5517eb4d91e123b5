import type { Extension } from '@codemirror/state';
import { showPanel } from '@codemirror/view';
import { getExtension } from '@vitrine/project/paths';
import { findLanguage } from './languages.ts';
import type { ProjectNames } from './languages/class-and-id-names.ts';

/**
 * Deepest nesting of brackets or tags. Parsers recurse with the nesting and would overflow the
 * stack.
 */
const maxDepth = 500;

/** Files that mix code and tags. */
const mixedExtensions = new Set(['vue', 'svelte', 'jsx', 'tsx']);
const markupExtensions = new Set(['html', 'htm', 'svg', 'md', 'markdown', ...mixedExtensions]);

/** Elements with an optional or no end tag, so that many of them in a row are not nested. */
const unclosedElements = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr'.split(
    ' ',
  ),
);

/** True for machine-written text that nests too deeply to be parsed. It is shown as plain text. */
export function exceedsNestingLimit(path: string, text: string): boolean {
  if (text.length < maxDepth) return false;
  const name = getExtension(path);
  return (
    hasDeepBrackets(text) ||
    (markupExtensions.has(name) && hasDeepTags(text, mixedExtensions.has(name))) ||
    (name.startsWith('m') && /^(?:> ?|[*+-] ){500}/m.test(text))
  );
}

function hasDeepBrackets(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // ( [ {, then ) ] }
    if (code === 40 || code === 91 || code === 123) depth += 1;
    else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function hasDeepTags(text: string, isMixed: boolean): boolean {
  let depth = 0;
  for (let at = text.indexOf('<'); at !== -1 && depth <= maxDepth;) {
    const next = text.indexOf('<', at + 1);
    const tag = text.slice(at + 1, next === -1 ? undefined : next);
    const name = /^[a-z][\w:.-]*/i.exec(tag)?.[0].toLowerCase();
    // In code, `<` after a word is a type parameter or a comparison.
    const isTag = name !== undefined && !(isMixed && /\w/.test(text.charAt(at - 1)));
    if (tag.startsWith('/')) depth = Math.max(0, depth - 1);
    else if (isTag && !unclosedElements.has(name) && !tag.includes('/>')) depth += 1;
    // Comparisons in an HTML page's script are not tags.
    at = name === 'script' && !isMixed ? text.indexOf('</script', at) : next;
  }
  return depth > maxDepth;
}

/** Panel shown instead of a language: says why the text is not highlighted. */
export const nestingLimitNotice: Extension = showPanel.of(() => {
  const dom = document.createElement('div');
  dom.className = 'cm-tooDeep';
  dom.setAttribute('role', 'status');
  dom.textContent = `This file is shown as plain text because its brackets or tags are nested more than ${maxDepth} levels deep.`;
  return { dom, top: true };
});

/** The language of a text if it is loaded, or the notice if the text nests too deeply. */
export function findLanguageWithinLimit(
  path: string,
  text: string,
  names: ProjectNames,
): Extension | undefined {
  return exceedsNestingLimit(path, text) ? nestingLimitNotice : findLanguage(path, names);
}
