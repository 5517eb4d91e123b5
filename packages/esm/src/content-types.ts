/*
 * Content types of raw package files. Packages are untrusted files on the app's own host, so every
 * type that a browser could run as a page is served as plain text. In addition, every response has a
 * content security policy under which nothing in it runs.
 */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bin: 'application/octet-stream',
  cjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  glb: 'model/gltf-binary',
  gltf: 'application/json; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  otf: 'font/otf',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/** `dist/a.wasm` → `application/wasm`; plain text for extensions that are not in the table. */
export function getContentType(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(types, extension) && types[extension]) || 'text/plain; charset=utf-8';
}

/** Whether bytes of this content type are worth compressing. */
export function isCompressible(contentType: string): boolean {
  return /^text\/|json|javascript|svg|wasm|font\/[ot]tf|x-icon|octet-stream|gltf/.test(contentType);
}
