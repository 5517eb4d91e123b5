import type { Extension } from '@codemirror/state';
import { showPanel } from '@codemirror/view';
import { extension } from '@vitrine/project/paths';
import { findLanguage, type ProjectNames } from './languages.ts';

/** Of brackets or tags within each other; what reads code goes as deep, and its stack ends somewhere. */
const deepest = 500;

/** Where code stands among the tags. */
const mixed = new Set(['vue', 'svelte', 'jsx', 'tsx']);
const markup = new Set(['html', 'htm', 'svg', 'md', 'markdown', ...mixed]);

/** Elements that need no end, so that many of them are not deep. */
const endless = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr'.split(
    ' ',
  ),
);

/** True for code that no hand has written: it is shown, and not read as code. */
export function nestsTooDeep(path: string, text: string): boolean {
  if (text.length < deepest) return false;
  const name = extension(path);
  return (
    hasDeepBrackets(text) ||
    (markup.has(name) && hasDeepTags(text, mixed.has(name))) ||
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
    if (depth > deepest) return true;
  }
  return false;
}

function hasDeepTags(text: string, isMixed: boolean): boolean {
  let depth = 0;
  for (let at = text.indexOf('<'); at !== -1 && depth <= deepest;) {
    const next = text.indexOf('<', at + 1);
    const tag = text.slice(at + 1, next === -1 ? undefined : next);
    const name = /^[a-z][\w:.-]*/i.exec(tag)?.[0].toLowerCase();
    // Among code, behind a word it is a type’s parameter or a comparison.
    const isTag = name !== undefined && !(isMixed && /\w/.test(text.charAt(at - 1)));
    if (tag.startsWith('/')) depth = Math.max(0, depth - 1);
    else if (isTag && !endless.has(name) && !tag.includes('/>')) depth += 1;
    // What a script within a page compares is no tag.
    at = name === 'script' && !isMixed ? text.indexOf('</script', at) : next;
  }
  return depth > deepest;
}

/** In the place of a language: says why the text has no colours. */
export const tooDeep: Extension = showPanel.of(() => {
  const dom = document.createElement('div');
  dom.className = 'cm-tooDeep';
  dom.setAttribute('role', 'status');
  dom.textContent = `More than ${deepest} brackets or tags are nested here, so this file is shown as plain text.`;
  return { dom, top: true };
});

/** The language of a text if it has arrived, or what stands in its place. */
export function findFitting(
  path: string,
  text: string,
  names: ProjectNames,
): Extension | undefined {
  return nestsTooDeep(path, text) ? tooDeep : findLanguage(path, names);
}
