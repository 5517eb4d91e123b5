/**
 * Finds the file that a preview URL leads to; undefined if there is none.
 * "/" → "index.html" or else "index.md", "/a%20b/" → "a b/index.html" …, "/about" → "about",
 * "about.html" or "about.md"
 */
export function findFilePath(
  pathname: string,
  exists: (path: string) => boolean,
): string | undefined {
  const path = decode(pathname)?.slice(1);
  if (path === undefined) return undefined;
  return candidates(path).find(exists);
}

function candidates(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}index.html`, `${path}index.md`];
  return [path, `${path}.html`, `${path}.md`];
}

function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    // A stray `%` in a URL leads to no file.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
