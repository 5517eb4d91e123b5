/**
 * Mistakes in a page's markup that change what shows. A browser makes something of every page, so
 * none of them keeps it from running: they are warnings.
 */
import { html, parse, type DefaultTreeAdapterTypes, type ParserError } from 'parse5';
import type { SyntaxProblem } from './check-script.ts';
import { positionAt } from './instrument-html.ts';
import { findNear } from './near-name.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type Place = Pick<SyntaxProblem, 'line' | 'column'>;

/** More than these at once are the echoes of one. */
const toldAtMost = 5;

export function checkPage(text: string): SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  const onParseError = (error: ParserError) => {
    const sentence = wordError(error, text);
    if (sentence !== undefined) found.push(warning(sentence, placeOfError(error, text)));
  };
  const tree = parse(text, { sourceCodeLocationInfo: true, onParseError });
  const unclosed = findFirst(tree, isUnclosed);
  if (unclosed) found.push(warning(`“<${unclosed.tagName}>” is never closed.`, placeOf(unclosed)));
  const unknown = findFirst(tree, (element) => meantBy(element) !== undefined);
  if (unknown) {
    const sentence = `Unknown element “<${unknown.tagName}>”. Did you mean “<${meantBy(unknown)}>”?`;
    found.push(warning(sentence, placeOf(unknown)));
  }
  return found.slice(0, toldAtMost);
}

function warning(sentence: string, place: Place): SyntaxProblem {
  return { sentence, ...place, severity: 'warning' };
}

/** Undefined for errors that change nothing a person could see, or are told by the tree. */
function wordError({ code, startOffset }: ParserError, text: string): string | undefined {
  const name: string = code;
  switch (name) {
    case 'eof-in-comment':
      return 'Unclosed comment: missing “-->”. Nothing after it is shown.';
    case 'eof-in-tag':
      return 'Unclosed tag: missing “>”. Nothing after it is shown.';
    case 'duplicate-attribute':
      return 'Duplicate attribute. The second one is ignored.';
    case 'missing-attribute-value':
      return 'Missing value after “=”.';
    case 'unexpected-character-in-attribute-name':
      return text[startOffset] === '<'
        ? 'A tag starts before the previous one is closed with “>”.'
        : 'Missing or extra quote in this tag.';
    case 'unexpected-character-in-unquoted-attribute-value':
      return 'Missing quote in this tag.';
    default:
      return undefined;
  }
}

/** Where what an error tells of began; the parser notices only at the end of the page. */
function placeOfError({ code, startLine, startCol }: ParserError, text: string): Place {
  const name: string = code;
  if (name === 'eof-in-comment') return positionAt(text, text.lastIndexOf('<!--'));
  if (name !== 'eof-in-tag') return { line: startLine, column: startCol };
  const whole = /<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^"'>])*>/giy;
  for (const { index } of text.matchAll(/<[a-z]/gi)) {
    whole.lastIndex = index;
    if (!whole.test(text)) return positionAt(text, index);
  }
  return { line: startLine, column: startCol };
}

function findFirst(node: Node, holds: (element: Element) => boolean): Element | undefined {
  if ('tagName' in node && holds(node)) return node;
  if ('content' in node) return findFirst(node.content, holds);
  if (!('childNodes' in node)) return undefined;
  for (const child of node.childNodes) {
    const found = findFirst(child, holds);
    if (found) return found;
  }
  return undefined;
}

function placeOf({ sourceCodeLocation }: Element): Place {
  return { line: sourceCodeLocation?.startLine ?? 1, column: sourceCodeLocation?.startCol ?? 1 };
}

/** Elements that HTML lets end by themselves (13.1.2.4), and those that hold nothing (13.1.2). */
const endsByItself = new Set(
  `html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th
  area base br col embed hr img input link meta source track wbr param`.split(/\s+/),
);

function isUnclosed({ tagName, namespaceURI, sourceCodeLocation: at }: Element): boolean {
  if (namespaceURI !== html.NS.HTML || endsByItself.has(tagName)) return false;
  return at?.startTag !== undefined && at.endTag === undefined;
}

/** Names that are long enough to be recognised when they are mistyped. */
const known = `script style link meta title header footer section article main aside body html head
  button input label select option textarea form table tbody thead image video audio canvas iframe
  figure figcaption details summary dialog template strong span nav blockquote fieldset legend`
  .split(/\s+/)
  .filter((name) => name.length > 3);
const rare = new Set(
  `abbr address bdi bdo cite code data datalist dfn del ins kbd map mark menu meter object output
  picture pre progress ruby samp search slot small sub sup time var hgroup noscript center font
  frame frameset marquee strike acronym applet big dir tt nobr img image selectedcontent math svg
  fencedframe param track source base area col colgroup caption tfoot optgroup wbr embed`.split(
    /\s+/,
  ),
);

/** The element that a name no element has was meant to be. */
function meantBy({ tagName, namespaceURI }: Element): string | undefined {
  if (namespaceURI !== html.NS.HTML || tagName.includes('-') || rare.has(tagName)) return undefined;
  if (known.includes(tagName) || tagName.length < 4) return undefined;
  return findNear(tagName, known);
}
