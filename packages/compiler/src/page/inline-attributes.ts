/** Rewrites attributes of a page's elements that contain URLs of files, for inlined projects. */
import type { DefaultTreeAdapterTypes } from 'parse5';
import type { MagicString } from 'magic-string';
import { resolvePath } from '../resolve-path.ts';
import { getUrlFragment, rewriteCss } from '../rewrite-css.ts';

type Element = DefaultTreeAdapterTypes.Element;

export interface UrlResolver {
  /** Returns the new URL of a file; undefined if it doesn't exist, which keeps the old one. */
  resolveFile(path: string): string | undefined;
  /** Returns the new URL of a file that a style refers to, even if it doesn't exist. */
  resolveStyleFile(path: string): string;
}

/** Attributes with URLs of files that a page loads, by element. */
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
  { resolveFile, resolveStyleFile }: UrlResolver,
): void {
  const replace = (name: string, rewrite: (value: string) => string | undefined) => {
    const value = getElementAttribute(element, name);
    const location = element.sourceCodeLocation?.attrs?.[name];
    const next = value === undefined ? undefined : rewrite(value);
    if (next !== undefined && next !== value && location)
      output.update(location.startOffset, location.endOffset, `${name}="${escapeValue(next)}"`);
  };
  const rewriteUrlAttribute = (url: string) => {
    const target = resolvePath(path, url);
    const found = target === undefined ? undefined : resolveFile(target);
    return found === undefined ? undefined : found + getUrlFragment(url);
  };

  for (const name of loadingAttributes[element.tagName] ?? []) replace(name, rewriteUrlAttribute);
  if (element.tagName === 'img' || element.tagName === 'source')
    replace('srcset', (set) => rewriteSrcset(set, rewriteUrlAttribute));
  if (element.tagName === 'link')
    replace('imagesrcset', (set) => rewriteSrcset(set, rewriteUrlAttribute));
  replace('style', (css) =>
    rewriteCss(css, {
      rewriteUrl(url) {
        const target = resolvePath(path, url);
        return target && resolveStyleFile(target) + getUrlFragment(url);
      },
    }),
  );
}

export function getElementAttribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

/** Rewrites each URL of a `srcset`, such as "a.png 1x, b.png 2x", that is a file of the project. */
function rewriteSrcset(set: string, rewrite: (url: string) => string | undefined): string {
  return set.replace(
    /(^|,)(\s*)([^\s,](?:\S*[^\s,])?)/g,
    (_, comma: string, space: string, url: string) => comma + space + (rewrite(url) ?? url),
  );
}

function escapeValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
