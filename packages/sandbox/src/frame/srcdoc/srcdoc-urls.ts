/**
 * Resolves a URL within the project: "../data.json?x" in "pages/a.html" → "data.json"; undefined for URLs
 * outside. `base` is the `href` of the page's `<base>`, if it has one.
 */
export function resolveProjectPath(
  url: string,
  from: string,
  base: string | null = null,
): string | undefined {
  const isFragment = url.startsWith('#') && base === null;
  if (isFragment || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url)) return undefined;
  const page = `http://project/${from}`;
  const { origin, pathname } = new URL(url, URL.parse(base ?? '', page) ?? page);
  if (origin !== 'http://project') return undefined;
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch (error) {
    // A stray `%` is taken literally.
    if (error instanceof URIError) return pathname.slice(1);
    throw error;
  }
}

/** `href` of the page's first `<base>`, including one that a script added. */
export function readBaseHref(): string | null {
  return document.querySelector('base[href]')?.getAttribute('href') ?? null;
}
