/**
 * Which requests may use the session in their cookie (a resource isolation policy). Previews run on
 * subdomains of the app's host, so `SameSite` doesn't stop them (measured); Fetch Metadata and
 * `Origin` do.
 */
type IsolationVerdict = 'allow' | 'anonymous' | 'refuse';

/**
 * Classifies a request:
 * - `refuse`: a state-changing request from outside the app, or a subresource request of another
 *   site or a preview;
 * - `anonymous`: may be served, but without the session;
 * - `allow`: a request of the app's own page, or a top-level navigation.
 * @param origin the app origin that the request was sent to
 */
export function checkIsolation(request: Request, origin: string): IsolationVerdict {
  const { headers, method } = request;
  const fetchSite = headers.get('sec-fetch-site');
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead) {
    const isOwn =
      headers.get('origin') === origin && (fetchSite === null || fetchSite === 'same-origin');
    return isOwn ? 'allow' : 'refuse';
  }
  if (fetchSite === 'same-origin' || fetchSite === 'none') return 'allow';
  if (fetchSite === null) return judgeWithoutMetadata(headers, origin);
  const isTopNavigation =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  return isTopNavigation ? 'allow' : 'refuse';
}

/**
 * Plain HTTP on a LAN and old browsers send no Fetch Metadata. The session is then used with an
 * `Origin` or `Referer` of the app, or for a document request: another page's subresource can't set
 * `Accept: text/html`, and our pages can't be framed.
 */
function judgeWithoutMetadata(headers: Headers, origin: string): IsolationVerdict {
  const source = headers.get('origin') ?? headers.get('referer');
  if (source !== null && URL.canParse(source) && new URL(source).origin === origin) return 'allow';
  return headers.get('accept')?.includes('text/html') ? 'allow' : 'anonymous';
}
