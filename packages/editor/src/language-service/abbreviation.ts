// An ambient module declaration can't be imported, and packages that import this file have other
// tsconfig files.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./emmet-module.d.ts" />
import type * as Emmet from 'emmet';

/** Syntax of an abbreviation: HTML, JSX, or declarations of a stylesheet. */
export type AbbreviationKind = 'html' | 'jsx' | 'css';

/** An Emmet abbreviation and its range in a line. */
interface Abbreviation {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** True for a plain word that may be meant as text, such as the name of a tag. */
  readonly isWord: boolean;
}

const htmlTags: ReadonlySet<string> = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select slot small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr'.split(
    ' ',
  ),
);

/**
 * The abbreviation before a position in a line. Only if it is unambiguous: tags exist, properties
 * are in Emmet's list, and a plain word is the first text in its line or after `>` or `(`.
 */
export function findAbbreviation(
  emmet: typeof Emmet,
  kind: AbbreviationKind,
  line: string,
  at: number,
): Abbreviation | undefined {
  const type = kind === 'css' ? 'stylesheet' : 'markup';
  const [start, end] = kind === 'jsx' ? findInnerRange(line, at) : [0, line.length];
  const extracted = emmet.extract(line.slice(start, end), at - start, { type });
  if (!extracted) return undefined;
  const { abbreviation: text } = extracted;
  const [from, to] = [extracted.start + start, extracted.end + start];
  const before = line.slice(0, from);
  const isWord = /^[\w-]+$/.test(text);
  const isUnambiguous =
    kind === 'css'
      ? /(?:^|[;{])\s*$/.test(before) && isDeclaration(emmet, text)
      : isMarkup(emmet, text) && (!isWord || /(?:^|[>(])\s*$/.test(before));
  return isUnambiguous ? { from, to, text, isWord } : undefined;
}

/** The part of a line inside the code's parentheses around a position: "(a > (b)|)" → "a > (b)". */
function findInnerRange(line: string, at: number): [from: number, to: number] {
  let depth = 0;
  let from = at;
  for (; from > 0 && depth >= 0; from -= 1) {
    if (line[from - 1] === ')') depth += 1;
    else if (line[from - 1] === '(' && (depth -= 1) < 0) break;
  }
  const to = line.indexOf(')', at);
  return [from, to === -1 || from === 0 ? line.length : to];
}

/** Expands an abbreviation into a CodeMirror snippet template. */
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

/**
 * True for a name in Emmet's list, or similar to one, with an optional value: `bgc`, `fz12`, `c#f`,
 * `df`.
 */
function isDeclaration(emmet: typeof Emmet, text: string): boolean {
  const [, name = '', value = ''] = /^-?([a-z]+)(.*)$/i.exec(text) ?? [];
  if (/^[-:]?[\d#]/.test(value)) return /^[a-z-]+: /.test(expandAbbreviation(emmet, 'css', text));
  const { snippets } = emmet.resolveConfig({ type: 'stylesheet' });
  return Object.hasOwn(snippets, name) || (value === '' && abbreviatesKeyword(emmet, name));
}

/** True for a name with the start or the initials of a keyword: "df", "posa", "jcsb". */
function abbreviatesKeyword(emmet: typeof Emmet, word: string): boolean {
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
  // Without texts and attributes, only names and operators are left.
  const plain = text.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  const names = plain.match(/(?<![\w.#:-])[A-Za-z][\w:-]*/g) ?? [];
  const isKnown = (name: string) =>
    htmlTags.has(name) || Object.hasOwn(snippets, name) || /^[A-Z]|-/.test(name);
  return names.length > 0 ? names.every(isKnown) : /^[.#[]\w/.test(text);
}
