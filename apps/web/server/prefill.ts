/**
 * `POST /prefill`: a page of any site sends the files of a project in a form, as it would to
 * CodePen, CodeSandbox or StackBlitz. The response stores what was posted in the tab's own
 * `sessionStorage` and opens `/new#posted`, whose import dialog shows who posted which files before
 * anything is opened. So the server keeps nothing, no request of the other site comes with the
 * session or changes it, and the data can't be given another sender by a link.
 */
import type { ErrorCode } from '@vitrine/project';
import { createNonce } from './security-headers.ts';

/** A form with the text of a project. The tab's storage holds 5 MB of UTF-16 at least. */
export const prefillLimits = { maxBodyBytes: 2 * 1024 * 1024, maxFields: 500 };

/** What `/new#posted` reads from `sessionStorage`; `app/import/formats/posted.ts` parses it. */
interface PostedProject {
  /** Origin of the page that sent the form. Undefined if the browser doesn't say. */
  readonly from: string | undefined;
  /** Text fields of the form in their order. A JSON body is one field named `json`. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Why the form wasn't accepted. */
  readonly error?: ErrorCode;
}

/** Responds to `POST /prefill`. Undefined for any other request. */
export async function respondToPrefill(request: Request): Promise<Response | undefined> {
  const { headers, method, url } = request;
  if (method !== 'POST' || new URL(url).pathname !== '/prefill') return undefined;
  // Only a tab can show the dialog. Frames are refused by the common headers, too.
  const destination = headers.get('sec-fetch-dest');
  if (destination !== null && destination !== 'document')
    return new Response('Send this form in a tab.\n', {
      status: 403,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  const from = parseOrigin(headers.get('origin'));
  const fields = await parseFields(request);
  return fields
    ? respondPosted({ from, fields }, 200)
    : respondPosted({ from, fields: [], error: 'post_unreadable' }, 400);
}

/** Responds to a form beyond `prefillLimits`: the dialog explains it. */
export function respondToLargePrefill({ headers }: Request, code: ErrorCode): Response {
  const from = parseOrigin(headers.get('origin'));
  return code === 'too_many_fields'
    ? respondPosted({ from, fields: [], error: 'post_unreadable' }, 400)
    : respondPosted({ from, fields: [], error: 'post_too_large' }, 413);
}

/** "https://docs.example.org" → itself; "null" and anything that isn't a web origin → undefined */
function parseOrigin(value: string | null): string | undefined {
  const url = value === null || value.length > 300 ? null : URL.parse(value);
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Undefined for a body that isn't a form or JSON. */
async function parseFields(request: Request): Promise<PostedProject['fields'] | undefined> {
  const contentType = request.headers.get('content-type') ?? '';
  if (/^application\/json\b/i.test(contentType)) return [['json', await request.text()]];
  try {
    const form = await request.formData();
    const fields: [string, string][] = [];
    // Files are left out: fields have text.
    for (const [name, value] of form) if (typeof value === 'string') fields.push([name, value]);
    return fields;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function respondPosted(posted: PostedProject, status: number): Response {
  const nonce = createNonce();
  // "</script>" in the data would end its element.
  const data = JSON.stringify(posted).replaceAll('<', String.raw`\u003c`);
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Opening — Vitrine</title>
<noscript>Turn on JavaScript to open this project.</noscript>
<script id="posted" type="application/json">${data}</script>
<script nonce="${nonce}">
  try {
    // If this one doesn't fit, the page shows no other site's.
    sessionStorage.removeItem('vitrine-posted');
    sessionStorage.setItem('vitrine-posted', document.getElementById('posted').textContent);
  } finally {
    location.replace('/new#posted');
  }
</script>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    },
  });
}
