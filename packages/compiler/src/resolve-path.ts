/**
 * Resolves a URL in a file to a path of the project; undefined for URLs outside of it.
 * "../img/a%20b.svg?x#y" in "css/site.css" → "img/a b.svg"; "/app.js" → "app.js"; "//host/x" → undefined
 */
export function resolvePath(from: string, url: string): string | undefined {
  const plain = url.trim().split(/[?#]/)[0] ?? '';
  if (plain === '' || plain.startsWith('//') || /^[a-z][a-z0-9+.-]*:/i.test(plain))
    return undefined;
  const segments = plain.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  const path = segments.join('/') + (plain.endsWith('/') && segments.length > 0 ? '/' : '');
  return path === '' ? undefined : decode(path);
}

/**
 * Returns the base path of relative URLs in a page with this `<base href>`; undefined if it is
 * outside the project.
 * "/app/" in "index.html" → "app/"; "x/y.html" in "a/b.html" → "a/x/y.html"; "https://host/" → undefined
 */
export function resolveBase(path: string, href: string): string | undefined {
  const page = `http://project/${encodePath(path)}`;
  // Browsers ignore invalid URLs and these schemes.
  if (!URL.canParse(href, page) || /^\s*(?:data|javascript):/i.test(href)) return path;
  const base = new URL(href, page);
  return base.origin === 'http://project' ? decode(base.pathname.slice(1)) : undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A stray `%` can't be decoded.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** "a b/c.js" → "a%20b/c.js" */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
