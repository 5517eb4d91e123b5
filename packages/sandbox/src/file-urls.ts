import { publicFolder } from '@vitrine/project';

/**
 * Finds the file that a preview URL leads to; undefined if there is none.
 * "/" → "index.html" or else "index.md", "/a%20b/" → "a b/index.html" …, "/about" → "about",
 * "about.html" or "about.md". Files in `public` are at the root too: "/vite.svg" → "public/vite.svg"
 */
export function findFilePath(
  pathname: string,
  exists: (path: string) => boolean,
): string | undefined {
  const path = decodePath(pathname);
  if (path === undefined) return undefined;
  const found = candidates(path).find(exists);
  return found ?? candidates(publicFolder + path).find(exists);
}

function candidates(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}index.html`, `${path}index.md`];
  return [path, `${path}.html`, `${path}.md`];
}

/**
 * Finds the page that a project opens with: that of "/", or else its only page, such as
 * "demo/index.html". Undefined for a project with several pages and none at the root.
 */
export function findEntryPath(paths: readonly string[]): string | undefined {
  const known = new Set(paths);
  const atRoot = findFilePath('/', (path) => known.has(path));
  if (atRoot !== undefined) return atRoot;
  const [page, other] = listPages(paths);
  return other === undefined ? page : undefined;
}

/** The HTML files of a project, by folder and name. */
export function listPages(paths: readonly string[]): string[] {
  return paths.filter((path) => /\.html?$/i.test(path)).sort(compareNames);
}

const compareNames = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** URL path of a page: "games/pong/index.html" → "/games/pong/", "a b.html" → "/a%20b.html" */
export function createPagePath(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** "/a%20b.js" → "a b.js"; undefined if the URL isn't valid. */
export function decodePath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname).slice(1);
  } catch (error) {
    // A stray `%` in a URL leads to no file.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Path of a page in its URL: "public/index.html" → "index.html", unless the project has that page too.
 */
export function getServedPath(path: string, exists: (path: string) => boolean): string {
  const served = path.startsWith(publicFolder) ? path.slice(publicFolder.length) : path;
  return exists(served) ? path : served;
}
