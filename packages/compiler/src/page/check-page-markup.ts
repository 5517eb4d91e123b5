/**
 * Checks a page's markup for mistakes that change what is shown. Browsers accept any markup, so all
 * of them are warnings.
 */
import { html, parse, type DefaultTreeAdapterTypes, type ParserError } from 'parse5';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { getPosition } from './instrument-html.ts';
import { findClosestName } from '../error-messages/closest-name.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type Location = Pick<CompileDiagnostic, 'line' | 'column'>;

/** Maximum number of warnings; more are usually consequences of the first. */
const maxWarnings = 5;

export function checkPageMarkup(text: string): CompileDiagnostic[] {
  const found: CompileDiagnostic[] = [];
  const onParseError = (error: ParserError) => {
    const message = describeParseError(error, text);
    if (message !== undefined) found.push(warning(message, getErrorLocation(error, text)));
  };
  const tree = parse(text, { sourceCodeLocationInfo: true, onParseError });
  const unclosed = findFirst(tree, isUnclosed);
  if (unclosed)
    found.push(warning(`“<${unclosed.tagName}>” is never closed.`, getLocation(unclosed)));
  const unknown = findFirst(tree, (element) => findIntendedName(element) !== undefined);
  if (unknown) {
    const message = `Unknown element “<${unknown.tagName}>”. Did you mean “<${findIntendedName(unknown)}>”?`;
    found.push(warning(message, getLocation(unknown)));
  }
  return found.slice(0, maxWarnings);
}

function warning(message: string, location: Location): CompileDiagnostic {
  return { message, ...location, severity: 'warning' };
}

/** Returns undefined for errors without a visible effect and for those found in the tree. */
function describeParseError({ code, startOffset }: ParserError, text: string): string | undefined {
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

/** Returns where an unclosed comment or tag starts; the parser reports it at the end of the page. */
function getErrorLocation({ code, startLine, startCol }: ParserError, text: string): Location {
  const name: string = code;
  if (name === 'eof-in-comment') return getPosition(text, text.lastIndexOf('<!--'));
  if (name !== 'eof-in-tag') return { line: startLine, column: startCol };
  const whole = /<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^"'>])*>/giy;
  for (const { index } of text.matchAll(/<[a-z]/gi)) {
    whole.lastIndex = index;
    if (!whole.test(text)) return getPosition(text, index);
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

function getLocation({ sourceCodeLocation }: Element): Location {
  return { line: sourceCodeLocation?.startLine ?? 1, column: sourceCodeLocation?.startCol ?? 1 };
}

/** Elements with optional end tags (HTML, 13.1.2.4) and void elements (13.1.2). */
const withoutEndTag = new Set(
  `html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th
  area base br col embed hr img input link meta source track wbr param`.split(/\s+/),
);

function isUnclosed({ tagName, namespaceURI, sourceCodeLocation: at }: Element): boolean {
  if (namespaceURI !== html.NS.HTML || withoutEndTag.has(tagName)) return false;
  return at?.startTag !== undefined && at.endTag === undefined;
}

/** Element names suggested for typos; only ones that are long enough to be recognized. */
const commonNames =
  `script style link meta title header footer section article main aside body html head
  button input label select option textarea form table tbody thead image video audio canvas iframe
  figure figcaption details summary dialog template strong span nav blockquote fieldset legend`
    .split(/\s+/)
    .filter((name) => name.length > 3);
const otherNames = new Set(
  `abbr address bdi bdo cite code data datalist dfn del ins kbd map mark menu meter object output
  picture pre progress ruby samp search slot small sub sup time var hgroup noscript center font
  frame frameset marquee strike acronym applet big dir tt nobr img image selectedcontent math svg
  fencedframe param track source base area col colgroup caption tfoot optgroup wbr embed`.split(
    /\s+/,
  ),
);

/** Returns the element name that an unknown one is probably a typo of. */
function findIntendedName({ tagName, namespaceURI }: Element): string | undefined {
  if (namespaceURI !== html.NS.HTML || tagName.includes('-') || otherNames.has(tagName))
    return undefined;
  if (commonNames.includes(tagName) || tagName.length < 4) return undefined;
  return findClosestName(tagName, commonNames);
}
