/**
 * Types that show something and run nothing. Everything else is a download: what is stored comes
 * from anyone and is served from the app's own host.
 */
const passive =
  /^(image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/(plain|css|csv|markdown)|application\/(json|octet-stream|wasm|zip|gzip))$/;

/** Types that a browser would run, as a page or as a script of one, or read as a page's parts. */
const active = /html|xml|xsl|script|ecma|typescript|mathml|manifest|multipart|pdf|flash/;

/**
 * The headers with which a stored file can be given to a browser without being able to run there:
 * scripts and pages are called plain text, whatever is not known to be passive is a download, and a
 * policy without scripts stands over all of it. An SVG keeps its type, so that it shows in `<img>`.
 *
 * `download` is the name it is to be saved under; empty for its own.
 */
export function describeContent(mimeType: string, download: string | undefined): Headers {
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const isSvg = essence === 'image/svg+xml';
  const isPassive = passive.test(essence);
  const headers = new Headers({
    'content-type': isPassive || isSvg || !active.test(essence) ? mimeType : inert(essence),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'x-robots-tag': 'none',
  });
  const disposition = describeDisposition(isPassive, download);
  if (disposition !== undefined) headers.set('content-disposition', disposition);
  return headers;
}

function inert(essence: string): string {
  return essence === 'application/pdf' ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}

function describeDisposition(isPassive: boolean, download: string | undefined) {
  if (download === undefined) return isPassive ? undefined : 'attachment';
  if (download === '') return 'attachment';
  const name = encodeURIComponent(download.toWellFormed()).replace(/['()]/g, escapeCharacter);
  return `attachment; filename="${name}"; filename*=UTF-8''${name}`;
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
