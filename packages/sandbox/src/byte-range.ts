/**
 * Range requests for assets (RFC 9110, section 14), the same from the server, the service worker and
 * srcdoc previews. Browsers need them to seek in audio and video.
 */

/** A part of a file, in bytes. `to` is inclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the part that a request asks for: `bytes=0-9`, `bytes=10-` or `bytes=-5`. Undefined asks for
 * the whole file: without a range, with several, and with `If-Range` for other contents than `tag`.
 *
 * @param size Size of the file in bytes.
 * @param tag ETag of the response, with its quotes.
 */
export function findByteRange(
  headers: Headers,
  size: number,
  tag: string | null = null,
): ByteRange | 'unsatisfiable' | undefined {
  const condition = headers.get('If-Range');
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('Range') ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (condition !== null && condition !== tag) return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  const isEmpty = first === '' && Number(last) === 0;
  return isEmpty || from > to ? 'unsatisfiable' : { from, to };
}

/** Sets the headers of a response with a part of a file, or all of it, and returns its status. */
export function setRangeHeaders(
  headers: Headers,
  range: ByteRange | 'unsatisfiable' | undefined,
  size: number,
): 200 | 206 | 416 {
  headers.set('Accept-Ranges', 'bytes');
  if (range === 'unsatisfiable') {
    headers.delete('Content-Type');
    headers.set('Content-Range', `bytes */${size}`);
    return 416;
  }
  headers.set('Content-Length', String(range ? range.to - range.from + 1 : size));
  if (!range) return 200;
  headers.set('Content-Range', `bytes ${range.from}-${range.to}/${size}`);
  return 206;
}

/** Responds with a file in memory, or the part of it that a request with these headers asks for. */
export function createBlobResponse(
  requestHeaders: Headers,
  bytes: Blob,
  responseHeaders: Readonly<Record<string, string>>,
): Response {
  const headers = new Headers(responseHeaders);
  const range = findByteRange(requestHeaders, bytes.size);
  const status = setRangeHeaders(headers, range, bytes.size);
  if (range === 'unsatisfiable') return new Response(null, { status, headers });
  return new Response(range ? bytes.slice(range.from, range.to + 1) : bytes, { status, headers });
}
