import { parseByteRange, type ByteRange } from '@vitrine/project';

/**
 * Range requests for assets (RFC 9110, section 14), the same from the server, the service worker and
 * srcdoc previews. Browsers need them to seek in audio and video.
 */

/**
 * Finds the part that a request asks for. Undefined for the whole file, also with `If-Range` for other
 * contents than `tag`.
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
  if (condition !== null && condition !== tag) return undefined;
  return parseByteRange(headers.get('Range'), size);
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
