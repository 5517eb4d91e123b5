/** A part of a text: plain text, or a link. */
type LinkifiedPart = string | { readonly text: string; readonly href: string };

const urlPattern = /\bhttps?:\/\/[^\s\p{C}"'`<>{}|\\^]+/giu;

/**
 * Splits a text at its URLs: "see https://a.test/b." → "see ", link "https://a.test/b", ".". Only
 * http and https URLs become links. URLs with credentials don't, since they can look like another
 * host. With `isCut`, a URL at the end may be incomplete and stays plain text.
 */
export function linkify(text: string, isCut = false): LinkifiedPart[] {
  const pieces: LinkifiedPart[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(urlPattern)) {
    if (isCut && index + found.length === text.length) break;
    const url = stripTrailingPunctuation(found);
    const href = parseHref(url);
    if (href === undefined) continue;
    if (index > at) pieces.push(text.slice(at, index));
    pieces.push({ text: url, href });
    at = index + url.length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/** Strips trailing punctuation of the sentence: "https://a.test/b)." → "https://a.test/b" */
function stripTrailingPunctuation(found: string): string {
  const inner = `.,;:!?*…${found.includes('(') ? '' : ')'}${found.includes('[') ? '' : ']'}`;
  let end = found.length;
  while (end > 0 && inner.includes(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
}

function parseHref(text: string): string | undefined {
  const url = URL.parse(text);
  return url && url.username === '' && url.password === '' ? url.href : undefined;
}
