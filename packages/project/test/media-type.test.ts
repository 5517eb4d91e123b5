import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateAsset } from '../src/files.ts';
import { canStoreAsText, detectMediaType } from '../src/media-type.ts';

const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR';

describe('the media type of a file', () => {
  test.each([
    ['picture.png', png, 'image/png'],
    ['picture.jpg', '\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
    ['picture.gif', 'GIF89a\x01\0', 'image/gif'],
    ['picture.webp', 'RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
    ['picture.avif', '\0\0\0\x20ftypavif\0\0', 'image/avif'],
    ['picture.heic', '\0\0\0\x20ftypheic\0\0', 'image/heic'],
    ['favicon.ico', '\0\0\x01\0\x01\0', 'image/x-icon'],
    ['picture.bmp', 'BM\x46\0\0\0\0\0\0\0', 'image/bmp'],
    ['sky.hdr', '#?RADIANCE\nFORMAT=\xff', 'image/vnd.radiance'],
    ['texture.ktx2', '\xabKTX 20\xbb\r\n', 'image/ktx2'],
    ['text.woff2', 'wOF2\0\x01\0\0', 'font/woff2'],
    ['text.ttf', '\0\x01\0\0\0\x11', 'font/ttf'],
    ['text.otf', 'OTTO\0\x0b', 'font/otf'],
    ['sound.mp3', 'ID3\x04\0', 'audio/mpeg'],
    ['sound.mp3', '\xff\xfb\x90\x64', 'audio/mpeg'],
    ['sound.wav', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
    ['sound.ogg', 'OggS\0\x02', 'audio/ogg'],
    ['sound.m4a', '\0\0\0\x20ftypM4A \0', 'audio/mp4'],
    ['film.mp4', '\0\0\0\x20ftypisom\0', 'video/mp4'],
    ['film.mov', '\0\0\0\x14ftypqt  \0', 'video/quicktime'],
    ['film.webm', '\x1a\x45\xdf\xa3\x9fB\x86\x81\x01webm', 'video/webm'],
    ['film.mkv', '\x1a\x45\xdf\xa3\x9fB\x86\x81\x01matroska', 'video/x-matroska'],
    ['film.ogv', 'OggS\0\x02\0\0\x80theora', 'video/ogg'],
    ['add.wasm', '\0asm\x01\0\0\0', 'application/wasm'],
    ['duck.glb', 'glTF\x02\0\0\0', 'model/gltf-binary'],
  ])('is found by its content: %s', (path, content, type) => {
    expect(detectMediaType(bytes(content), path)).toBe(type);
    expect(detectMediaType(bytes(content), 'file')).toBe(type);
  });

  test('is that of the content if the name says something else', () => {
    expect(detectMediaType(bytes(png), 'page.html')).toBe('image/png');
    expect(detectMediaType(bytes(png), 'picture.svg')).toBe('image/png');
  });

  test.each([
    ['sales.csv', 'text/csv'],
    ['data.JSON', 'application/json'],
    ['page.html', 'text/html'],
    ['drawing.svg', 'image/svg+xml'],
    ['cube.obj', 'model/obj'],
    ['notes', 'application/octet-stream'],
    ['archive.zip', 'application/octet-stream'],
    ['main.ts', 'application/octet-stream'],
  ])('is found by its name otherwise: %s', (path, type) => {
    expect(detectMediaType(bytes('caf\xe9'), path)).toBe(type);
  });

  test('is none for programs, whatever their names', () => {
    const windows = `MZ\x90\0${'\0'.repeat(56)}\x80\0\0\0`;
    expect(detectMediaType(bytes(windows), 'picture.png')).toBeUndefined();
    expect(detectMediaType(bytes('\x7fELF\x02\x01'), 'a.bin')).toBeUndefined();
    expect(detectMediaType(bytes('\xcf\xfa\xed\xfe\x07'), 'a')).toBeUndefined();
    expect(detectMediaType(bytes('MZ;M\xfcller\n'.repeat(20)), 'names.csv')).toBe('text/csv');
  });

  test('is always one that a project can have', () => {
    const heads = fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(bytes(png)));
    fc.assert(
      fc.property(heads, fc.string(), (head, path) => {
        const mediaType = detectMediaType(head, path);
        const asset = { kind: 'asset', hash: 'a'.repeat(64), size: 1 } as const;
        return mediaType === undefined || validateAsset({ ...asset, mediaType }) === undefined;
      }),
    );
  });
});

describe('a file is stored as text', () => {
  test.each([
    ['main.js', 'a\r\nb', true],
    ['page.html', '\uFEFF<p>', true],
    ['.env', 'A=1\r\n', true],
    ['data.csv', 'a;b\nc;d\n', true],
    // A program may split it by its line breaks.
    ['data.csv', 'a;b\r\nc;d\r\n', false],
    ['data.csv', '\uFEFFa;b\n', false],
    ['notes.txt', 'a\rb', false],
    ['main.js', 'a\0b', false],
  ])('%s with %j: %s', (path, text, expected) => {
    expect(canStoreAsText(path, text)).toBe(expected);
  });
});
