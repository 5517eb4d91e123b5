import { limits, type AssetFile, type ProjectFile } from '@vitrine/project';
import { describe, expect, test } from 'vitest';
import { checkFoundFiles, readFile } from '../../app/workspace/assets/read-files.ts';
import { formatSize } from '../../app/ui/format-size.ts';
import { createReference } from '../../app/workspace/assets/references.ts';
import type { FoundFile } from '../../app/workspace/tree/uploaded-files.ts';

const mebibyte = 1024 * 1024;

/** A file of this size that fails the test if it is read. */
function createUnreadFile(path: string, size: number): FoundFile {
  const file = new File([], path);
  Object.defineProperty(file, 'size', { value: size });
  file.arrayBuffer = () => Promise.reject(new Error(`${path} was read`));
  file.slice = () => {
    throw new Error(`${path} was read`);
  };
  return { path, file };
}

const asset = (size: number): AssetFile => ({
  kind: 'asset',
  hash: 'a'.repeat(64),
  size,
  mediaType: 'image/png',
});

describe('files to add are checked before they are read', () => {
  const check = (
    files: readonly [string, number][],
    existing: readonly ProjectFile[] = [],
    usage?: { used: number; quota: number },
  ) => {
    const found = files.map(([path, size]) => createUnreadFile(path, size));
    const project = new Map(existing.map((file, index) => [`${index}`, file]));
    const { accepted, rejected } = checkFoundFiles(found, project, usage);
    return { accepted: accepted.map(({ path }) => path), rejected };
  };

  test('for the size of each', () => {
    const { accepted, rejected } = check([
      ['at.bin', limits.assetMaxBytes],
      ['above.bin', limits.assetMaxBytes + 1],
      ['huge.bin', 200 * mebibyte],
    ]);
    expect(accepted).toEqual(['at.bin']);
    expect(rejected).toEqual([
      { path: 'above.bin', code: 'asset_too_large' },
      { path: 'huge.bin', code: 'asset_too_large' },
    ]);
  });

  test('for the room in the project', () => {
    const existing = Array.from({ length: 9 }, () => asset(10 * mebibyte));
    const { accepted, rejected } = check(
      [
        ['a.bin', 6 * mebibyte],
        ['b.bin', 4 * mebibyte + 1],
        ['c.bin', 4 * mebibyte],
      ],
      existing,
    );
    expect(accepted).toEqual(['a.bin', 'c.bin']);
    expect(rejected).toEqual([{ path: 'b.bin', code: 'assets_too_large' }]);
  });

  test('for the user’s storage', () => {
    const usage = { used: 995 * mebibyte, quota: 1000 * mebibyte };
    const { accepted, rejected } = check(
      [
        ['a.bin', 5 * mebibyte],
        ['b.bin', 2 * mebibyte],
      ],
      [],
      usage,
    );
    expect(accepted).toEqual(['a.bin']);
    expect(rejected).toEqual([{ path: 'b.bin', code: 'storage_full' }]);
  });

  test('for their number and names', () => {
    expect(() =>
      check(Array.from({ length: limits.projectMaxFiles + 1 }, (_, index) => [`${index}.txt`, 1])),
    ).toThrowError(expect.objectContaining({ code: 'too_many_files' }));
    expect(check([['__vitrine.png', 1]]).rejected).toEqual([
      { path: '__vitrine.png', code: 'invalid_path' },
    ]);
    expect(check([['日本/ünïcode 🐦.png', 1]]).accepted).toHaveLength(1);
  });
});

describe('a file is read', () => {
  const read = async (path: string, content: BlobPart) => {
    const kept: Uint8Array[] = [];
    const { content: found } = await readFile(
      { path, file: new File([content], path) },
      async (bytes, mediaType) => {
        kept.push(bytes);
        return { asset: { ...asset(bytes.length), mediaType }, bytes: undefined };
      },
    );
    return typeof found === 'string' ? found : { found, bytes: kept[0] };
  };

  test('as text in UTF-8, without a byte order mark', async () => {
    expect(await read('a.js', '\uFEFFlet é = "日本";\r\n')).toBe('let é = "日本";\r\n');
    expect(await read('a.csv', 'a;b\n')).toBe('a;b\n');
    expect(await read('big.txt', 'x'.repeat(mebibyte))).toHaveLength(mebibyte);
  });

  test.each([
    ['in Windows-1252', 'text/csv', 'a.csv', Uint8Array.of(0x63, 0x61, 0x66, 0xe9)],
    ['in UTF-16', 'text/html', 'a.html', Uint8Array.of(0xff, 0xfe, 0x3c, 0)],
    [
      'with a byte order mark that counts',
      'text/csv',
      'a.csv',
      Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
    ],
    ['with line breaks that count', 'text/csv', 'a.csv', Uint8Array.from(Buffer.from('a\r\nb'))],
    ['that is too large', 'text/plain', 'a.txt', new Uint8Array(mebibyte + 1).fill(120)],
    [
      'that isn’t text',
      'image/png',
      'a.js',
      Uint8Array.from(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
    ],
  ])('as an asset with its bytes: one %s', async (_, mediaType, path, bytes) => {
    const found = await read(path, bytes);
    expect(found).toMatchObject({ found: { mediaType }, bytes });
  });

  test('as nothing if it is a program', async () => {
    await expect(read('a.png', '\x7fELF\x02\0')).rejects.toMatchObject({ code: 'program_refused' });
  });

  test('as nothing if the browser can’t read it', async () => {
    await expect(
      readFile(createUnreadFile('gone.png', 10), () => Promise.reject(new Error('unexpected'))),
    ).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});

describe('a reference to an asset', () => {
  const picture = { path: 'img/my bird (2).png', mediaType: 'image/png' };
  const at = (path: string, text: string, target = picture) =>
    createReference({ path, text: text.replace('|', ''), offset: text.indexOf('|') }, target);

  test.each([
    ['README.md', 'Hi |', '![my bird (2)](img/my%20bird%20%282%29.png)'],
    ['docs/deep/a.md', '|', '![my bird (2)](../../img/my%20bird%20%282%29.png)'],
    ['img/a.md', '|', '![my bird (2)](my%20bird%20%282%29.png)'],
    ['index.html', '<p>|</p>', '<img src="img/my%20bird%20%282%29.png" alt="">'],
    ['index.html', '<img src="|">', 'img/my%20bird%20%282%29.png'],
    ['index.html', '<style>a { background: | }', 'url("img/my%20bird%20%282%29.png")'],
    ['index.html', '<script>|</script>', undefined],
    ['style.css', 'a { background: |; }', 'url("img/my%20bird%20%282%29.png")'],
    ['css/style.css', 'a { background: url(|); }', '../img/my%20bird%20%282%29.png'],
    // The page is in the root.
    ['src/App.tsx', 'return <p>|</p>', '<img src="img/my%20bird%20%282%29.png" alt="" />'],
    ['script.js', '|', undefined],
  ])('in %s at %j: %s', (path, text, expected) => {
    expect(at(path, text)).toBe(expected);
  });

  test('depends on the type of the asset', () => {
    const type = (path: string, mediaType: string) => at('index.html', '|', { path, mediaType });
    expect(type('a.mp4', 'video/mp4')).toBe('<video src="a.mp4" controls></video>');
    expect(type('a.mp3', 'audio/mpeg')).toBe('<audio src="a.mp3" controls></audio>');
    expect(type('a.csv', 'text/csv')).toBe('<a href="a.csv">a.csv</a>');
    expect(type('a.woff2', 'font/woff2')).toBeUndefined();
    expect(at('a.md', '|', { path: 'a [1].csv', mediaType: 'text/csv' })).toBe(
      '[a \\[1\\]](a%20%5B1%5D.csv)',
    );
    expect(type('日本"<b>.png', 'image/png')).toBe('<img src="日本%22%3Cb%3E.png" alt="">');
  });
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1 KB'],
  [1_200, '1.17 KB'],
  [102_912, '101 KB'],
  [mebibyte - 1, '1 MB'],
  [10 * mebibyte, '10 MB'],
  [340.2 * mebibyte, '340 MB'],
  [1_024 * mebibyte, '1 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
