/**
 * Which requests may act as the person whose cookie they carry. A preview is a sibling of the app's
 * host, so `SameSite` does not stop it (measured): Fetch Metadata and `Origin` do.
 */
export type Verdict = 'allow' | 'anonymous' | 'refuse';

/**
 * - `refuse`: a state-changing request that does not come from a page of ours, or anything a
 *   sibling or stranger fetches;
 * - `anonymous`: the page may be shown, but without reading the session;
 * - `allow`: a page of ours asked, or the person opened the address.
 *
 * `origin` is the origin under which the app was addressed.
 */
export function judgeRequest(request: Request, origin: string): Verdict {
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
 * Plain HTTP on a LAN and old browsers send no Fetch Metadata. There the cookie counts with an
 * `Origin` or `Referer` of ours, or when a document is asked for: `Accept: text/html` cannot be set
 * by another page's subresource, and our pages cannot be framed.
 */
function judgeWithoutMetadata(headers: Headers, origin: string): Verdict {
  const source = headers.get('origin') ?? headers.get('referer');
  if (source !== null && URL.canParse(source) && new URL(source).origin === origin) return 'allow';
  return headers.get('accept')?.includes('text/html') ? 'allow' : 'anonymous';
}
