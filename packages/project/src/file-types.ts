import { getExtension } from './paths.ts';

/** Media type by extension. */
const typesByExtension: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/midi': 'mid midi',
    'audio/mp4': 'm4a',
    'audio/mpeg': 'mp3',
    'audio/ogg': 'oga ogg opus',
    'audio/wav': 'wav',
    'audio/webm': 'weba',
    'font/otf': 'otf',
    'font/ttf': 'ttf',
    'font/woff': 'woff',
    'font/woff2': 'woff2',
    'image/avif': 'avif',
    'image/bmp': 'bmp',
    'image/gif': 'gif',
    'image/jpeg': 'jpeg jpg',
    'image/png': 'apng png',
    'image/svg+xml': 'svg',
    'image/webp': 'webp',
    'image/x-icon': 'ico',
    'image/x-tga': 'tga',
    'model/3mf': '3mf',
    'model/gltf+json': 'gltf',
    'model/gltf-binary': 'glb',
    'model/mtl': 'mtl',
    'model/obj': 'obj',
    'model/stl': 'stl',
    'model/vnd.usdz+zip': 'usdz',
    'text/calendar': 'ics',
    'text/css': 'css pcss postcss',
    'text/csv': 'csv',
    'text/html': 'htm html',
    'text/javascript': 'cjs js mjs',
    'text/markdown': 'md',
    'text/plain': 'log srt txt',
    'text/tab-separated-values': 'tsv',
    'text/vtt': 'vtt',
    'text/xml': 'gpx kml xml',
    'video/mp4': 'm4v mp4',
    'video/ogg': 'ogv',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'application/geo+json': 'geojson',
    'application/json': 'json map topojson',
    'application/manifest+json': 'webmanifest',
    'application/wasm': 'wasm',
  }).flatMap(([type, extensions]) =>
    extensions.split(' ').map((extension) => [extension, type] as const),
  ),
);

/** Media type of a file by its extension, without parameters. Undefined for unknown extensions. */
export function findMediaType(path: string): string | undefined {
  return typesByExtension.get(getExtension(path));
}

/** Returns the Content-Type of a text file of a project. Unknown extensions are plain text. */
export function getMediaType(path: string): string {
  const type = findMediaType(path) ?? '';
  return `${isText(type) ? type : 'text/plain'}; charset=utf-8`;
}

/** Whether files of this type are text. */
function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml)$|^model\/(?:mtl|obj|stl)$/.test(mediaType);
}
