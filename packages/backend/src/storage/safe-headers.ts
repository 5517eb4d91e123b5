/**
 * Types that browsers display and do not execute. All others are sent as downloads: files come from
 * anyone and are served from the app's own origin.
 */
const passiveTypes =
  /^(image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/(plain|css|csv|markdown)|application\/(json|octet-stream|wasm|zip|gzip))$/;

/** Types that a browser could execute, as a page or a script, or load as a part of a page. */
const activeTypes = /html|xml|xsl|script|ecma|typescript|mathml|manifest|multipart|pdf|flash/;

/**
 * Creates headers that prevent a stored file from executing in a browser: scripts and pages are
 * sent as plain text, types not known to be passive as downloads, and all with a CSP without
 * scripts. An SVG keeps its type, so that it works in `<img>`.
 *
 * `download` is the file name to save as; empty for the object's own.
 */
export function createContentHeaders(mimeType: string, download: string | undefined): Headers {
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const isSvg = essence === 'image/svg+xml';
  const isPassive = passiveTypes.test(essence);
  const headers = new Headers({
    'content-type':
      isPassive || isSvg || !activeTypes.test(essence) ? mimeType : getInertType(essence),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'x-robots-tag': 'none',
  });
  const disposition = createDisposition(isPassive, download);
  if (disposition !== undefined) headers.set('content-disposition', disposition);
  return headers;
}

function getInertType(essence: string): string {
  return essence === 'application/pdf' ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}

function createDisposition(isPassive: boolean, download: string | undefined) {
  if (download === undefined) return isPassive ? undefined : 'attachment';
  if (download === '') return 'attachment';
  const name = encodeURIComponent(download.toWellFormed()).replace(/['()]/g, percentEncode);
  return `attachment; filename="${name}"; filename*=UTF-8''${name}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
