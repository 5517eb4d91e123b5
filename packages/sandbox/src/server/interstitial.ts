import { resolveSameOrigin } from '@vitrine/project';
import { documentHeaders } from '../headers.ts';
import type { ServedProject } from './compile-cache.ts';

/**
 * Interstitial for a preview opened in a tab: says whose page it is before any of its code runs. Its link leads to the
 * same URL; the request then comes from this origin, which `isExternalNavigation` lets through. SB-17
 */
export function respondInterstitial(
  project: ServedProject,
  url: URL,
  app: readonly string[],
): Response {
  const { title, author } = project.credit ?? { title: project.slug, author: '' };
  const byline = author === '' ? 'Someone' : `<strong>${escapeText(author)}</strong>`;
  const { origin, pathname, search } = url;
  const page = escapeText(resolveSameOrigin(pathname + search, origin)?.href ?? `${origin}/`);
  const code = escapeText(`${app[0] ?? ''}/p/${project.slug}`);
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeText(title)}</title>
<meta name="viewport" content="width=device-width">
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 0 24px; }
  main { max-width: 28rem; }
  h1 { margin: 0 0 8px; font-size: 20px; overflow-wrap: anywhere; }
  p { margin: 0 0 16px; }
  nav { display: flex; gap: 16px; }
</style>
<main>
  <h1>${escapeText(title)}</h1>
  <p>${byline} made this page. It hasn’t been reviewed, so don’t enter a password here.</p>
  <nav><a href="${page}">Continue to the page</a> <a href="${code}">View the code</a></nav>
</main>
</html>
`;
  const headers = documentHeaders(app);
  headers['Cache-Control'] = 'no-store';
  headers['Content-Security-Policy'] =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return new Response(html, { headers });
}

/** Whether a request opens a tab from another origin. Browsers without Fetch Metadata count as not. */
export function isExternalNavigation({ headers }: Request): boolean {
  return (
    headers.get('Sec-Fetch-Dest') === 'document' && headers.get('Sec-Fetch-Site') !== 'same-origin'
  );
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
