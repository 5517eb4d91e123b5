import type { FoundElement } from '../accessibility-messages.ts';

/** A start tag in the text of a page. */
interface StartTag {
  index: number;
  attributes: ReadonlyMap<string, string>;
}

/**
 * Where in a page's text an element of its document was written: the start tag with exactly its
 * attributes. Of several alike, the one at the element's place, as long as the document has as many of
 * them as the text; undefined where a script made it, or changed too much to tell.
 */
export function findElement(html: string, element: FoundElement): number | undefined {
  const tags = findStartTags(html, element.name);
  const alike = tags.filter((tag) => hasAttributes(tag, element.attributes));
  if (alike.length <= 1) return alike[0]?.index;
  return tags.length === element.count ? tags[element.index]?.index : undefined;
}

function hasAttributes(
  { attributes }: StartTag,
  wanted: readonly (readonly [string, string])[],
): boolean {
  return (
    attributes.size === wanted.length &&
    wanted.every(([name, value]) => attributes.get(name) === value.replace(/\r\n?/g, '\n'))
  );
}

/** Comments and what is text by the element around it hold no tags. */
const skipped =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title|template)\b(?:"[^"]*"|'[^']*'|[^'">])*>[\s\S]*?(?:<\/\1\s*>|$)/gi;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

const startTag = /<([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;

function findStartTags(html: string, name: string): StartTag[] {
  // Blanked, not cut, so that places stay; a skipped element's own start tag may be the one wanted.
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

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
};

/** The references that people write in attributes; another one makes the search find nothing. */
function decodeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#(\d{1,6})|([a-z]+));/g, (whole, code?: string, name?: string) => {
      if (code !== undefined) return String.fromCodePoint(Math.min(Number(code), 0x10ffff));
      return named[name ?? ''] ?? whole;
    });
}
