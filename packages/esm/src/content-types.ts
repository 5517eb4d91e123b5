import { findMediaType } from '@vitrine/project';

/*
 * Content types of raw package files. Packages are untrusted files on the app's own host, so every
 * type that a browser could run as a page is served as plain text. In addition, every response has a
 * content security policy under which nothing in it runs.
 */
const servedTypes =
  /^(?:audio|font|image|model|video)\/|^text\/(?:css|javascript)$|^application\/(?:json|wasm)$/;

/** `dist/a.wasm` → `application/wasm`; plain text for types that aren't served. */
export function getContentType(path: string): string {
  if (path.endsWith('.bin')) return 'application/octet-stream';
  const type = findMediaType(path) ?? '';
  if (!servedTypes.test(type)) return 'text/plain; charset=utf-8';
  return /^text\/|\/json$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Whether bytes of this content type are worth compressing. */
export function isCompressible(contentType: string): boolean {
  return /^text\/|json|javascript|svg|wasm|font\/[ot]tf|x-icon|octet-stream|gltf/.test(contentType);
}
