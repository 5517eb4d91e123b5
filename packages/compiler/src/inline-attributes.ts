/** Attributes of a page's elements that hold addresses of files, which an inlined project names anew. */
import type { DefaultTreeAdapterTypes } from 'parse5';
import type { MagicString } from 'magic-string';
import { resolvePath } from './resolve-path.ts';
import { fragmentOf, rewriteCss } from './rewrite-css.ts';

type Element = DefaultTreeAdapterTypes.Element;

export interface Addresses {
  /** Where a file is found; undefined for one that is not there, whose address stays. */
  addressOf(path: string): string | undefined;
  /** Likewise, of what a style names. */
  styleAddressOf(path: string): string;
}

/** Where attributes hold addresses of files that a page loads. */
const loadingAttributes: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  link: ['href'],
  img: ['src'],
  source: ['src'],
  audio: ['src'],
  video: ['src', 'poster'],
  track: ['src'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
  input: ['src'],
  iframe: ['src'],
  object: ['data'],
  embed: ['src'],
};

export function inlineAttributes(
  element: Element,
  path: string,
  output: MagicString,
  { addressOf, styleAddressOf }: Addresses,
): void {
  const replace = (name: string, renew: (value: string) => string | undefined) => {
    const value = attributeOf(element, name);
    const place = element.sourceCodeLocation?.attrs?.[name];
    const next = value === undefined ? undefined : renew(value);
    if (next !== undefined && next !== value && place)
      output.update(place.startOffset, place.endOffset, `${name}="${escapeValue(next)}"`);
  };
  const renewAddress = (address: string) => {
    const target = resolvePath(path, address);
    const found = target === undefined ? undefined : addressOf(target);
    return found === undefined ? undefined : found + fragmentOf(address);
  };

  for (const name of loadingAttributes[element.tagName] ?? []) replace(name, renewAddress);
  if (element.tagName === 'img' || element.tagName === 'source')
    replace('srcset', (set) => renewSet(set, renewAddress));
  if (element.tagName === 'link') replace('imagesrcset', (set) => renewSet(set, renewAddress));
  replace('style', (css) =>
    rewriteCss(css, {
      rewriteUrl(address) {
        const target = resolvePath(path, address);
        return target && styleAddressOf(target) + fragmentOf(address);
      },
    }),
  );
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

/** "a.png 1x, b.png 2x" with each address renewed, where it is one of the project. */
function renewSet(set: string, renew: (address: string) => string | undefined): string {
  return set.replace(
    /(^|,)(\s*)([^\s,](?:\S*[^\s,])?)/g,
    (_, comma: string, space: string, address: string) =>
      comma + space + (renew(address) ?? address),
  );
}

function escapeValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
