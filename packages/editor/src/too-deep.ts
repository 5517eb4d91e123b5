import type { Extension } from '@codemirror/state';
import { showPanel } from '@codemirror/view';
import { extension } from '@vitrine/project';

/** Of brackets or tags within each other; what reads code goes as deep, and its stack ends somewhere. */
const deepest = 500;

const markup = new Set(['html', 'htm', 'svg', 'vue', 'svelte', 'jsx', 'tsx', 'md', 'markdown']);

/** Elements that need no end, so that many of them are not deep. */
const endless =
  /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|param|source|td|th|tr|track|wbr)$/i;

/** True for code that no hand has written: it is shown, and not read as code. */
export function nestsTooDeep(path: string, text: string): boolean {
  if (text.length < deepest) return false;
  const name = extension(path);
  return (
    depthOfBrackets(text) > deepest ||
    (markup.has(name) && depthOfTags(text) > deepest) ||
    (name.startsWith('m') && /^(?:> ?|[*+-] ){500}/m.test(text))
  );
}

function depthOfBrackets(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // ( [ {, then ) ] }
    if (code === 40 || code === 91 || code === 123) most = Math.max(most, ++depth);
    else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth -= 1;
  }
  return most;
}

function depthOfTags(text: string): number {
  let depth = 0;
  let most = 0;
  // Behind a name it is a type’s parameter or a comparison.
  for (const [, end, name = '', closed] of text.matchAll(
    /(?<!\w)<(\/?)([a-z][\w:.-]*)[^<>]*?(\/?)>/gi,
  )) {
    if (end) depth = Math.max(0, depth - 1);
    else if (!closed && !endless.test(name)) most = Math.max(most, ++depth);
  }
  return most;
}

/** In the place of a language: says why the text has no colours. */
export const tooDeep: Extension = showPanel.of(() => {
  const dom = document.createElement('div');
  dom.className = 'cm-tooDeep';
  dom.setAttribute('role', 'status');
  dom.textContent = `More than ${deepest} brackets or tags are nested here, so this file is shown as plain text.`;
  return { dom, top: true };
});
