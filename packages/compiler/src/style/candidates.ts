/** Finds class candidates in the texts of a project, which Tailwind then filters. */
import { isStylePath } from '../file-kinds.ts';

/** LRU cache of candidates by text, least recently used first: an edit changes one of many texts. */
const cache = new Map<string, readonly string[]>();
const maxCachedTexts = 400;

/** Returns the unique candidates in all files, sorted. */
export function findCandidates(files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  for (const [path, text] of files)
    if (isScanned(path)) for (const candidate of scan(text)) found.add(candidate);
  return [...found].sort();
}

/** Whether a file is scanned: all but stylesheets and package files, which only look like they use classes. */
function isScanned(path: string): boolean {
  return !isStylePath(path) && !/(?:^|\/)package(?:-lock)?\.json$/.test(path);
}

function scan(text: string): readonly string[] {
  const known = cache.get(text);
  const found = known ?? [...new Set(candidatesIn(text))];
  if (known) cache.delete(text);
  cache.set(text, found);
  const [oldest] = cache.keys();
  if (cache.size > maxCachedTexts && oldest !== undefined) cache.delete(oldest);
  return found;
}

/** Words between white space, quotes and punctuation, and those with punctuation in brackets. */
const plain = /[^\s"'`<>=;{}]+/g;
const bracketed = /[^\s"'`<>=;{}]*(?:\[[^\s\]]*\]+|\([^\s)]*\))[^\s"'`<>=;{}]*/g;

/** `class="mt-2 md:[&>p]:flex" {a:'b'}` → mt-2, md:[&>p]:flex, a, b … */
function* candidatesIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(plain)) {
    yield word;
    const bare = word.replace(/^[(,[!]+|[),.:\]]+$/g, '');
    if (bare !== word) yield bare;
    // Svelte's `class:mt-2={…}` contains a class too.
    if (word.startsWith('class:')) yield word.slice('class:'.length);
  }
  for (const [word] of text.matchAll(bracketed)) yield word;
}
