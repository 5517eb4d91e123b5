import { instrumentHtml } from '@vitrine/compiler';

/** 404 page. It sends a hello with the requested path, so that the app knows. */
export function notFoundPage(pathname: string, frameScript: string): string {
  return instrumentHtml(notFoundHtml(pathname), { src: frameScript, data: { path: pathname } });
}

export function notFoundHtml(pathname: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Not found</title>
<meta name="viewport" content="width=device-width">
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; }
  code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
</style>
<main>
  <p>Can’t find <code>${escapeText(pathname)}</code> in this project.</p>
</main>
</html>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
