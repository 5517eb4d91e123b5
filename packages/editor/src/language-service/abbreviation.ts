// What is no module cannot be imported, and whoever imports this has another tsconfig.json.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./emmet-module.d.ts" />
import type * as Emmet from 'emmet';

/** What abbreviations are written in: markup, JSX, or declarations of a style. */
export type AbbreviationKind = 'html' | 'jsx' | 'css';

export interface Abbreviation {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** A word that could be meant as one, such as the name of a tag. */
  readonly isWord: boolean;
}

const tags: ReadonlySet<string> = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select slot small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr'.split(
    ' ',
  ),
);

/**
 * The abbreviation before a place of a line, if it is one without doubt: its tags exist, its
 * properties are Emmet's own, and a lone word stands where nothing was written before it.
 */
export function findAbbreviation(
  emmet: typeof Emmet,
  kind: AbbreviationKind,
  line: string,
  at: number,
): Abbreviation | undefined {
  const type = kind === 'css' ? 'stylesheet' : 'markup';
  const [start, end] = kind === 'jsx' ? withinBrackets(line, at) : [0, line.length];
  const found = emmet.extract(line.slice(start, end), at - start, { type });
  if (!found) return undefined;
  const { abbreviation: text } = found;
  const [from, to] = [found.start + start, found.end + start];
  const before = line.slice(0, from);
  const isWord = /^[\w-]+$/.test(text);
  const isMeant =
    kind === 'css'
      ? /(?:^|[;{])\s*$/.test(before) && isDeclaration(emmet, text)
      : isMarkup(emmet, text) && (!isWord || /(?:^|[>(])\s*$/.test(before));
  return isMeant ? { from, to, text, isWord } : undefined;
}

/** "(a > (b)|)" → "a > (b)": the part of a line that is in the brackets of code around a place. */
function withinBrackets(line: string, at: number): [from: number, to: number] {
  let depth = 0;
  let from = at;
  for (; from > 0 && depth >= 0; from -= 1) {
    if (line[from - 1] === ')') depth += 1;
    else if (line[from - 1] === '(' && (depth -= 1) < 0) break;
  }
  const to = line.indexOf(')', at);
  return [from, to === -1 || from === 0 ? line.length : to];
}

/** The abbreviation written out, as a template of the editor with fields. */
export function expandAbbreviation(
  emmet: typeof Emmet,
  kind: AbbreviationKind,
  text: string,
): string {
  const escape = (value: string) => value.replace(/[{}]/g, '\\$&');
  return emmet.default(text, {
    type: kind === 'css' ? 'stylesheet' : 'markup',
    syntax: kind,
    options: {
      'output.indent': '\t',
      'output.field': (index, placeholder) =>
        placeholder === '' ? `\${${index}}` : `\${${index}:${escape(placeholder)}}`,
      'output.selfClosingStyle': kind === 'jsx' ? 'xhtml' : 'html',
      'jsx.enabled': kind === 'jsx',
    },
  });
}

/** `bgc`, `fz12`, `c#f`, `df`: a name of Emmet's, or what resembles one, with a value behind it. */
function isDeclaration(emmet: typeof Emmet, text: string): boolean {
  const [, name = '', value = ''] = /^-?([a-z]+)(.*)$/i.exec(text) ?? [];
  if (/^[-:]?[\d#]/.test(value)) return /^[a-z-]+: /.test(expandAbbreviation(emmet, 'css', text));
  const { snippets } = emmet.resolveConfig({ type: 'stylesheet' });
  return Object.hasOwn(snippets, name) || (value === '' && hasKeyword(emmet, name));
}

/** A name with how its value begins, or the value's initials: "df", "posa", "jcsb". */
function hasKeyword(emmet: typeof Emmet, word: string): boolean {
  const written = expandAbbreviation(emmet, 'css', word);
  const keyword = /^[a-z-]+: ([a-z-]+);$/.exec(written)?.[1];
  if (keyword === undefined) return false;
  const { snippets } = emmet.resolveConfig({ type: 'stylesheet' });
  const initials = keyword.replace(/([a-z])[a-z]*-?/g, '$1');
  return [...word].some((_, at) => {
    const rest = word.slice(at);
    const isValue = keyword.startsWith(rest) || rest === initials;
    return isValue && Object.hasOwn(snippets, word.slice(0, at));
  });
}

function isMarkup(emmet: typeof Emmet, text: string): boolean {
  if (text === '!') return true;
  if (/[.#:]$/.test(text)) return false;
  const { snippets } = emmet.resolveConfig({ type: 'markup' });
  // Without texts and attributes, only names and what joins them are left.
  const plain = text.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  const names = plain.match(/(?<![\w.#:-])[A-Za-z][\w:-]*/g) ?? [];
  const isKnown = (name: string) =>
    tags.has(name) || Object.hasOwn(snippets, name) || /^[A-Z]|-/.test(name);
  return names.length > 0 ? names.every(isKnown) : /^[.#[]\w/.test(text);
}
