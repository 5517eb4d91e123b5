/**
 * Scripts inside of markup, as files of their own: `index.html` has `index.html~.js`, which holds what
 * is between its script tags, at the same offsets, and nothing else.
 */

import type { TextEdit } from './messages.ts';

const markup = /\.(?:html?|vue|svelte)$/;
const script = /(<script\b([^>]*)>)([\s\S]*?)(?=<\/script\s*>|$)/gi;
/** What is between script tags and no script: data, templates, import maps. */
const notScript = /\stype\s*=\s*["']?(?!module\b|text\/(?:java|type)script\b|["'\s>])/i;
const mark = '~.';

/** Where a script stands in its file. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** "App.vue" → "/App.vue~.ts", for a text with a script in it; undefined for other files. */
export function embeddedName(path: string, text: string): string | undefined {
  if (!markup.test(path)) return undefined;
  const tags = [...text.matchAll(script)].map(({ 2: attributes = '' }) => attributes);
  if (tags.length === 0) return undefined;
  const isTyped = tags.some((tag) => /\slang\s*=\s*["']?tsx?\b/.test(tag));
  const isJsx = tags.some((tag) => /\slang\s*=\s*["']?[jt]sx\b/.test(tag));
  return `/${path}${mark}${isTyped ? 'ts' : 'js'}${isJsx ? 'x' : ''}`;
}

/** "/App.vue~.ts" → "App.vue"; "/a.ts" → "a.ts". */
export function projectPath(fileName: string): string {
  return fileName.slice(1).replace(/(\.(?:html?|vue|svelte))~\.[jt]sx?$/, '$1');
}

/**
 * Whether the types of a component's scripts can be checked as any module's: they are written, and
 * neither `this` nor `$:` means what it means in a component alone.
 */
export function isTypedComponent(path: string, text: string): boolean {
  const tags = [...text.matchAll(script)].map(({ 2: attributes = '' }) => attributes);
  const isTyped = tags.some((tag) => /\slang\s*=\s*["']?ts\b/.test(tag));
  if (path.endsWith('.vue')) return isTyped && tags.some((tag) => /\ssetup\b/.test(tag));
  return path.endsWith('.svelte') && isTyped && !/^\s*\$:/m.test(text);
}

/** Whether a file is such scripts of another one. */
export function isEmbedded(fileName: string): boolean {
  return projectPath(fileName) !== fileName.slice(1);
}

/** The scripts of a text; those that another file holds are empty. */
export function findScripts(text: string): Stretch[] {
  return [...text.matchAll(script)]
    .filter(({ 2: attributes = '' }) => !notScript.test(attributes))
    .map(({ 0: all, 3: code = '', index }) => {
      const to = index + all.length;
      return { from: to - code.length, to };
    });
}

/** The text with all but its scripts blank, and a module, so that two pages share no names. */
export function keepScripts(text: string): string {
  let kept = '';
  for (const { from, to } of findScripts(text)) {
    kept += text.slice(kept.length, from).replace(/[^\n\r]/g, ' ') + text.slice(from, to);
  }
  return `${kept}\n;export {};`;
}

/** False for a page without a script that is a module. */
export function canImport(path: string, text: string): boolean {
  return !/\.html?$/.test(path) || /<script\b[^>]*\stype\s*=\s*["']?module\b/i.test(text);
}

/** Edits that would stand outside of every script, as an import in the first line, begin the first one. */
export function moveIntoScripts(edits: readonly TextEdit[], text: string): TextEdit[] {
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
