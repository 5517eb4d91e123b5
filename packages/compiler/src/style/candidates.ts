/** Finds whatever may be a class in the texts of a project, for Tailwind to tell what is one. */
import { isStylePath } from '../file-kinds.ts';

/** Texts and what was found in them, the one used longest ago first: an edit changes one of many. */
const scanned = new Map<string, readonly string[]>();
const keptTexts = 400;

/** Sorted, each once. */
export function findCandidates(files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  for (const [path, text] of files)
    if (isScanned(path)) for (const candidate of scan(text)) found.add(candidate);
  return [...found].sort();
}

/** Classes are named in pages and scripts; stylesheets and lists of packages only look as if. */
function isScanned(path: string): boolean {
  return !isStylePath(path) && !/(?:^|\/)package(?:-lock)?\.json$/.test(path);
}

function scan(text: string): readonly string[] {
  const known = scanned.get(text);
  const found = known ?? [...new Set(candidatesIn(text))];
  if (known) scanned.delete(text);
  scanned.set(text, found);
  const [oldest] = scanned.keys();
  if (scanned.size > keptTexts && oldest !== undefined) scanned.delete(oldest);
  return found;
}

/** Between white space, quotes and signs; and with signs, where square brackets hold them. */
const plain = /[^\s"'`<>=;{}]+/g;
const bracketed = /[^\s"'`<>=;{}]*(?:\[[^\s\]]*\]+|\([^\s)]*\))[^\s"'`<>=;{}]*/g;

/** `class="mt-2 md:[&>p]:flex" {a:'b'}` → mt-2, md:[&>p]:flex, a, b … */
function* candidatesIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(plain)) {
    yield word;
    const bare = word.replace(/^[(,[!]+|[),.:\]]+$/g, '');
    if (bare !== word) yield bare;
    // Svelte's `class:mt-2={…}` names one too.
    if (word.startsWith('class:')) yield word.slice('class:'.length);
  }
  for (const [word] of text.matchAll(bracketed)) yield word;
}
