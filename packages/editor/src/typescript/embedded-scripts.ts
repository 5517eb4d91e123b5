/**
 * Scripts in markup as virtual files: `index.html` has `index.html~.js` with the content of its
 * script tags at the same offsets and everything else blank.
 */

import type { TextEdit } from './messages.ts';

const markupFiles = /\.(?:html?|vue|svelte)$/;
const scriptElements = /(<script\b([^>]*)>)([\s\S]*?)(?=<\/script\s*>|$)/gi;
/** Script elements that contain no script: data, templates, import maps. */
const nonScriptType = /\stype\s*=\s*["']?(?!module\b|text\/(?:java|type)script\b|["'\s>])/i;
const virtualSuffix = '~.';

/** A range of text, in UTF-16 units. */
interface ScriptRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The virtual file name of a text with scripts: "App.vue" → "/App.vue~.ts". Undefined for other
 * files.
 */
export function findEmbeddedFileName(path: string, text: string): string | undefined {
  if (!markupFiles.test(path)) return undefined;
  const tags = [...text.matchAll(scriptElements)].map(({ 2: attributes = '' }) => attributes);
  if (tags.length === 0) return undefined;
  const isTyped = tags.some((tag) => /\slang\s*=\s*["']?tsx?\b/.test(tag));
  const isJsx = tags.some((tag) => /\slang\s*=\s*["']?[jt]sx\b/.test(tag));
  return `/${path}${virtualSuffix}${isTyped ? 'ts' : 'js'}${isJsx ? 'x' : ''}`;
}

/** The project path of a file name: "/App.vue~.ts" → "App.vue"; "/a.ts" → "a.ts". */
export function toProjectPath(fileName: string): string {
  return fileName.slice(1).replace(/(\.(?:html?|vue|svelte))~\.[jt]sx?$/, '$1');
}

/**
 * True if a component's scripts can be type-checked like a module: they are TypeScript, and `this`
 * or `$:` have no special meaning in them.
 */
export function isTypedComponent(path: string, text: string): boolean {
  const tags = [...text.matchAll(scriptElements)].map(({ 2: attributes = '' }) => attributes);
  const isTyped = tags.some((tag) => /\slang\s*=\s*["']?ts\b/.test(tag));
  if (path.endsWith('.vue')) return isTyped && tags.some((tag) => /\ssetup\b/.test(tag));
  return path.endsWith('.svelte') && isTyped && !/^\s*\$:/m.test(text);
}

/** True for the virtual file of scripts in markup. */
export function isEmbeddedFile(fileName: string): boolean {
  return toProjectPath(fileName) !== fileName.slice(1);
}

/** Ranges of the scripts in a text. Empty for a script with a `src`. */
export function findScripts(text: string): ScriptRange[] {
  return [...text.matchAll(scriptElements)]
    .filter(({ 2: attributes = '' }) => !nonScriptType.test(attributes))
    .map(({ 0: all, 3: code = '', index }) => {
      const to = index + all.length;
      return { from: to - code.length, to };
    });
}

/**
 * The text with all but its scripts blank. Ends with an export, so that it is a module and pages
 * share no names.
 */
export function extractScripts(text: string): string {
  let extracted = '';
  for (const { from, to } of findScripts(text)) {
    extracted += text.slice(extracted.length, from).replace(/[^\n\r]/g, ' ') + text.slice(from, to);
  }
  return `${extracted}\n;export {};`;
}

/** False for an HTML page without a module script. */
export function canImport(path: string, text: string): boolean {
  return !/\.html?$/.test(path) || /<script\b[^>]*\stype\s*=\s*["']?module\b/i.test(text);
}

/**
 * Moves edits outside of all scripts, such as an import in the first line, to the start of the
 * first one.
 */
export function moveEditsIntoScripts(edits: readonly TextEdit[], text: string): TextEdit[] {
  const scripts = findScripts(text);
  const [first] = scripts;
  if (!first) return [];
  const start = first.from + (text[first.from] === '\n' ? 1 : 0);
  return edits.map((edit) =>
    scripts.some(({ from, to }) => from <= edit.from && edit.to <= to)
      ? edit
      : { from: start, to: start, insert: edit.insert },
  );
}
