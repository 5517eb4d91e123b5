import { findMediaType } from './file-types.ts';
import { getExtension } from './paths.ts';

/** Bytes at the start of a file that `detectMediaType` needs. */
export const signatureBytes = 4_096;

/**
 * Detects the media type of a file that isn't stored as text: by its content, otherwise by its
 * extension. Unknown files are plain bytes. Always a type that `validateAsset` accepts.
 *
 * @param head The first `signatureBytes` of the file, or all of it.
 * @returns Undefined for programs (Windows, Linux and macOS executables), which no page can use.
 */
export function detectMediaType(head: Uint8Array, path: string): string | undefined {
  const start = toLatin1(head);
  if (/^(?:MZ[^]{60}\0\0|\x7fELF|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe)/.test(start))
    return undefined;
  const found = signatures.find(([pattern]) => pattern.test(start));
  return found?.[1] ?? findMediaType(path) ?? 'application/octet-stream';
}

/** One character per byte. */
function toLatin1(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, signatureBytes), (byte) => String.fromCharCode(byte)).join(
    '',
  );
}

/**
 * Media type by the first bytes, as in the MIME Sniffing Standard and the formats' specifications.
 * The first match wins.
 */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^[^]{4}ftypavi[fs]/, 'image/avif'],
  [/^[^]{4}ftyp(?:hei[cxs]|hev[cx]|mif1|msf1)/, 'image/heic'],
  [/^(?:\xff\x0a|\0\0\0\x0cJXL )/, 'image/jxl'],
  [/^BM[^]{4}\0\0\0\0/, 'image/bmp'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^(?:II\x2a\0|MM\0\x2a)/, 'image/tiff'],
  [/^8BPS/, 'image/vnd.adobe.photoshop'],
  [/^#\?R(?:ADIANCE|GBE)/, 'image/vnd.radiance'],
  [/^\x76\x2f\x31\x01/, 'image/x-exr'],
  [/^\xabKTX 20\xbb/, 'image/ktx2'],
  [/^\xabKTX 11\xbb/, 'image/ktx'],
  [/^DDS /, 'image/vnd-ms.dds'],

  [/^wOFF/, 'font/woff'],
  [/^wOF2/, 'font/woff2'],
  [/^(?:\0\x01\0\0|true)/, 'font/ttf'],
  [/^OTTO/, 'font/otf'],
  [/^ttcf/, 'font/collection'],

  [/^[^]{4}ftyp(?:M4A|M4B|F4A)/, 'audio/mp4'],
  [/^[^]{4}ftypqt/, 'video/quicktime'],
  [/^[^]{4}ftyp3g/, 'video/3gpp'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^\x1a\x45\xdf\xa3[^]*matroska/, 'video/x-matroska'],
  [/^\x1a\x45\xdf\xa3/, 'video/webm'],
  [/^OggS[^]*theora/, 'video/ogg'],
  [/^OggS/, 'audio/ogg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^RIFF[^]{4}AVI /, 'video/x-msvideo'],
  [/^fLaC/, 'audio/flac'],
  [/^MThd/, 'audio/midi'],
  [/^FORM[^]{4}AIF[FC]/, 'audio/aiff'],
  [/^\xff[\xf1\xf9]/, 'audio/aac'],
  [/^(?:ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/, 'audio/mpeg'],

  [/^\0asm/, 'application/wasm'],
  [/^glTF/, 'model/gltf-binary'],
];

/**
 * Languages that treat every kind of line break and a byte order mark alike, so that a file can be
 * stored as text with "\n". In any other file, a program may read the bytes as they are.
 */
const languages: ReadonlySet<string> = new Set(
  `astro cjs css cts frag glsl gql graphql hbs htm html js json json5 jsonc jsx less map markdown md
  mdx mjs mts njk pcss postcss pug sass scss svelte svg toml ts tsx vert vue webmanifest wgsl xhtml xml yaml
  yml`.split(/\s+/),
);

/**
 * Whether a text can be stored as text of a project without changing what the file is: it has only
 * "\n" as line breaks and no byte order mark, or is in a language in which these make no difference.
 */
export function canStoreAsText(path: string, text: string): boolean {
  if (text.includes('\0')) return false;
  const extension = getExtension(path);
  // Files like .gitignore, .prettierrc and LICENSE are edited, too.
  return extension === '' || languages.has(extension) || !/^\uFEFF|\r/.test(text);
}
