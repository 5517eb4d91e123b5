import type { IssueElement } from '../accessibility-messages.ts';

/** A start tag in the HTML of a page. */
interface StartTag {
  index: number;
  attributes: ReadonlyMap<string, string>;
}

/**
 * Finds where an element was written in the page's HTML: the start tag with exactly its attributes. Of
 * several equal tags, the one at the element's index, as long as document and HTML have equally many.
 *
 * @returns Offset in `html`; undefined if a script created the element or the HTML differs too much.
 */
export function findElement(html: string, element: IssueElement): number | undefined {
  const tags = findStartTags(html, element.name);
  const equal = tags.filter((tag) => hasAttributes(tag, element.attributes));
  if (equal.length <= 1) return equal[0]?.index;
  return tags.length === element.count ? tags[element.index]?.index : undefined;
}

function hasAttributes(
  { attributes }: StartTag,
  expected: readonly (readonly [string, string])[],
): boolean {
  return (
    attributes.size === expected.length &&
    expected.every(([name, value]) => attributes.get(name) === value.replace(/\r\n?/g, '\n'))
  );
}

/** Comments and elements with text content contain no tags. */
const skipped =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title|template)\b(?:"[^"]*"|'[^']*'|[^'">])*>[\s\S]*?(?:<\/\1\s*>|$)/gi;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

const startTag = /<([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;

function findStartTags(html: string, name: string): StartTag[] {
  // Blanked out instead of removed, to keep offsets. The start tag of a skipped element stays.
  const visible = html.replace(skipped, (whole: string, tag?: string) => {
    const kept = tag === undefined ? '' : whole.slice(0, whole.indexOf('>') + 1);
    return kept + ' '.repeat(whole.length - kept.length);
  });
  return [...visible.matchAll(startTag)]
    .filter(([, found = '']) => found.toLowerCase() === name.toLowerCase())
    .map((found) => ({ index: found.index, attributes: readAttributes(found[2] ?? '') }));
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(attribute)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeText(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const namedReferences: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
};

/** Decodes the character references that are common in attributes; with any other, the search finds nothing. */
function decodeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#(\d{1,6})|([a-z]+));/g, (whole, code?: string, name?: string) => {
      if (code !== undefined) return String.fromCodePoint(Math.min(Number(code), 0x10ffff));
      return namedReferences[name ?? ''] ?? whole;
    });
}
