import { instrumentHtml } from '@vitrine/compiler';
import { createPagePath, listPages } from './file-urls.ts';

/**
 * 404 page. It sends a hello with the requested path, so that the app knows.
 *
 * @param paths The project's files, if the page's visitor may see it.
 */
export function notFoundPage(
  pathname: string,
  frameScript: string,
  paths: readonly string[],
): string {
  const html = notFoundHtml(pathname, paths);
  return instrumentHtml(html, { src: frameScript, data: { path: pathname } });
}

/** At the root, lists the project's pages. */
export function notFoundHtml(pathname: string, paths: readonly string[]): string {
  const pages = pathname === '/' ? listPages(paths) : [];
  const message =
    pages.length > 0
      ? `<h1>Pages</h1>
  <ul>
${pages.map(createItem).join('')}  </ul>`
      : `<p>Can’t find <code>${escapeText(pathname)}</code> in this project.</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Not found</title>
<meta name="viewport" content="width=device-width">
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; }
  h1 { margin: 16px 0 0; font-size: 15px; }
  ul { margin: 8px 0 16px; padding: 0; list-style: none; text-align: start; }
  code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
</style>
<main>
  ${message}
</main>
</html>
`;
}

function createItem(path: string): string {
  return `    <li><a href="${createPagePath(path)}">${escapeText(path)}</a></li>\n`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
