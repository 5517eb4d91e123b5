/**
 * The project's file that an address in a file names; undefined for addresses of elsewhere.
 * "../img/a%20b.svg?x#y" in "css/site.css" → "img/a b.svg"; "/app.js" → "app.js"; "//host/x" → undefined
 */
export function resolvePath(from: string, address: string): string | undefined {
  const plain = address.trim().split(/[?#]/)[0] ?? '';
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
 * What relative addresses in a page stand on once it has this `<base href>`, as a path to resolve from;
 * undefined where that is not of the project.
 * "/app/" in "index.html" → "app/"; "x/y.html" in "a/b.html" → "a/x/y.html"; "https://host/" → undefined
 */
export function resolveBase(path: string, href: string): string | undefined {
  const page = `http://project/${encodePath(path)}`;
  // Browsers ignore what is no address, and these schemes.
  if (!URL.canParse(href, page) || /^\s*(?:data|javascript):/i.test(href)) return path;
  const base = new URL(href, page);
  return base.origin === 'http://project' ? decode(base.pathname.slice(1)) : undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A stray `%` names nothing.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** "a b/c.js" → "a%20b/c.js" */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
