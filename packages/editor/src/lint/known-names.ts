import { isTestPath } from '@vitrine/project';

const word = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
/** `let a, { b } = c` → `a, { b }` */
const declared = new RegExp(
  String.raw`\b(?:var|let|const|function\s*\*?|class)\s+((?:${word}|[\s,{}[\]:])+)`,
  'gu',
);
const onWindow = new RegExp(String.raw`\b(?:window|globalThis|self)\.(${word})`, 'gu');
const ofElements = /\bid\s*=\s*["']?([\w$]+)/g;
const words = new RegExp(word, 'gu');
const ofOtherHost = /<script\b[^>]*\ssrc\s*=\s*["']?(?:https?:)?\/\//i;

/**
 * The names that a script of a project may find beside those of every page: what other scripts and
 * pages declare, what anybody puts on the window, elements by their ids. It takes too many rather than
 * too few. Undefined where nobody knows them all: a script of another host brings names of its own,
 * and tests have theirs.
 */
export function findNames(
  files: ReadonlyMap<string, string>,
  path: string,
): readonly string[] | undefined {
  if (isTestPath(path)) return undefined;
  const pages = [...files].filter(([each]) => /\.html?$/.test(each));
  if (pages.some(([, text]) => ofOtherHost.test(text))) return undefined;
  const scripts = [...files].filter(([each]) => /\.[cm]?jsx?$/.test(each) && each !== path);
  const found = new Set<string>();
  for (const [, text] of [...pages, ...scripts])
    for (const [, names = ''] of text.matchAll(declared))
      for (const [name] of names.matchAll(words)) found.add(name);
  for (const text of files.values())
    for (const [, name = ''] of text.matchAll(onWindow)) found.add(name);
  for (const [, text] of pages)
    for (const [, name = ''] of text.matchAll(ofElements)) found.add(name);
  return [...found];
}
