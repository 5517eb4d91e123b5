import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  byteLength,
  errorCatalog,
  findAssetSources,
  findErrorCode,
  toTextFiles,
  validateFiles,
  validatePassword,
  validatePath,
  validateTitle,
  validateUsername,
  isSlug,
  getMediaType,
  parseAssetRows,
  parsePath,
  VitrineError,
  type AssetFile,
} from '@vitrine/project';

describe('a file path', () => {
  test.each(['index.html', 'lib/a.js', 'ü/ß.css', '.env', 'a b.txt', 'x'.repeat(255)])(
    'keeps %j',
    (path) => {
      expect(validatePath(path)).toBeUndefined();
    },
  );

  test.each([
    '',
    '/etc/passwd',
    'a//b',
    'a/',
    '.',
    '..',
    'a/../b',
    './a',
    'a\\b',
    'a\u0000b',
    'a\nb',
    ' a',
    'a ',
    '__vitrine/sw.js',
    'x/__vitrine',
    'x'.repeat(256),
    'ü'.repeat(128),
    '\ud800',
  ])('rejects %j', (path) => {
    expect(validatePath(path)).toBeTypeOf('string');
    expect(() => parsePath(path)).toThrow(VitrineError);
  });

  test('is normalized to Unicode NFC', () => {
    expect(parsePath('u\u0308.css')).toBe('ü.css');
  });

  test('never leaves its folder once accepted, for random input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        if (validatePath(path)) return;
        const url = new URL(
          path.split('/').map(encodeURIComponent).join('/'),
          'http://p.test/root/',
        );
        expect(url.pathname.startsWith('/root/')).toBe(true);
        expect(url.pathname.length).toBeGreaterThan('/root/'.length);
      }),
    );
  });
});

test.each([
  ['ann', undefined],
  ['ann-b-2', undefined],
  ['an', 'invalid_username'],
  ['x'.repeat(31), 'invalid_username'],
  ['-ann', 'invalid_username'],
  ['ann-', 'invalid_username'],
  ['a--b', 'invalid_username'],
  ['Ann', 'invalid_username'],
  ['admin', 'username_taken'],
])('the username %j gives %j', (username, problem) => {
  expect(validateUsername(username)).toBe(problem);
});

test.each([
  ['nine chars', undefined],
  ['too short', 'password_too_short'],
  ['é'.repeat(37), 'password_too_long'],
  ['half of a pair \ud800', 'password_not_text'],
  ['nul\0nul\0nul', 'password_not_text'],
  ['ann@Example.org', 'password_like_account'],
  ['correct horse', 'password_too_common'],
])('the password %j gives %j', (password, problem) => {
  const account = { email: 'ann@example.org', username: 'ann' };
  expect(validatePassword(password, account, new Set(['correct horse']))).toBe(problem);
});

test('a title needs a visible character and has a maximum length', () => {
  expect(validateTitle('  ')).toBe('title_required');
  expect(validateTitle('x'.repeat(121))).toBe('title_required');
  expect(validateTitle('Boids')).toBeUndefined();
});

test('the byte length of a text is the sum of its parts, wherever it is split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
      expect(byteLength(text)).toBe(new TextEncoder().encode(text).length);
      const cut = at % (text.length + 1);
      expect(byteLength(text.slice(0, cut)) + byteLength(text.slice(cut))).toBe(byteLength(text));
    }),
  );
});

test('files over a limit are reported by path', () => {
  const validateTexts = (texts: Iterable<[string, string]>) => validateFiles(toTextFiles(texts));
  expect(validateTexts([['a.txt', 'x']])).toBeUndefined();
  expect(validateTexts([['a.txt', 'x'.repeat(1024 * 1024 + 1)]])).toEqual({
    code: 'file_too_large',
    details: 'a.txt',
  });
  for (const content of ['a\0b', '\ud800']) {
    expect(validateTexts([['a.txt', content]])?.code).toBe('file_not_text');
  }
  const texts = (count: number, text: string) =>
    Array.from({ length: count }, (_, index): [string, string] => [`${index}.txt`, text]);
  expect(validateTexts(texts(1_001, ''))?.code).toBe('too_many_files');
  expect(validateTexts(texts(11, 'x'.repeat(1024 * 1024)))?.code).toBe('project_too_large');
  const assets = (count: number, size: number) =>
    new Map(
      Array.from({ length: count }, (_, index): [string, AssetFile] => [
        `${index}.png`,
        { kind: 'asset', hash: 'a'.repeat(64), size, mediaType: 'image/png' },
      ]),
    );
  const assetMaxBytes = 10 * 1024 * 1024;
  expect(validateFiles(assets(10, assetMaxBytes))).toBeUndefined();
  expect(validateFiles(assets(11, assetMaxBytes))?.code).toBe('assets_too_large');
  expect(validateFiles(assets(1, assetMaxBytes + 1))).toEqual({
    code: 'asset_too_large',
    details: '0.png',
  });
});

test('rows of assets name the uploader, if it is a user id', () => {
  const uploader = '0fa10fa1-0fa1-40fa-80fa-0fa10fa10fa1';
  const row = { path: 'a.png', hash: 'a'.repeat(64), size: 1, media_type: 'image/png' };
  const asset = { kind: 'asset', hash: row.hash, size: 1, mediaType: 'image/png' } as const;
  const parse = (more: object) => [...parseAssetRows([{ ...row, ...more }])];
  expect(parse({ uploader })).toEqual([['a.png', { ...asset, uploader }]]);
  for (const other of [undefined, null, 1, '', `../${uploader}`, uploader.toUpperCase()])
    expect(parse({ uploader: other })).toEqual([['a.png', asset]]);
  const sources = findAssetSources([asset, { ...asset, uploader }]);
  expect([...sources]).toEqual([[asset.hash, uploader]]);
});

test('PT-07.3: a slug has 16 characters, or 10 for older projects', () => {
  expect(isSlug('abcdefghij012345')).toBe(true);
  expect(isSlug('abcdefghij')).toBe(true);
  const others = ['', 'abcdefghi', 'abcdefghij0', 'abcdefghij01234', 'abcdefghij0123456'];
  for (const other of [...others, 'ABCDEFGHIJ', 'abcdefghij01234-', 'abcdefghij\n']) {
    expect(isSlug(other)).toBe(false);
  }
});

test('an error code is found in any thrown value', () => {
  expect(findErrorCode(new VitrineError('path_taken'))).toBe('path_taken');
  expect(findErrorCode({ code: 'PT409', message: 'version_conflict' })).toBe('version_conflict');
  expect(
    findErrorCode({ code: '23514', message: 'violates check constraint "title_required"' }),
  ).toBe('title_required');
  expect(findErrorCode({ code: '23514', message: 'violates check constraint "toString"' })).toBe(
    'unexpected',
  );
  expect(findErrorCode(new TypeError('Failed to fetch'))).toBe('server_unreachable');
  expect(findErrorCode(new TypeError('fetch failed'))).toBe('backend_unreachable');
  expect(findErrorCode(new TypeError('x is not a function'))).toBe('unexpected');
  expect(findErrorCode(new Error('boom'))).toBe('unexpected');
  expect(findErrorCode(null)).toBe('unexpected');
  expect(findErrorCode({ message: 'toString' })).toBe('unexpected');
});

test('every error has a message and an action that end with a period', () => {
  for (const [code, entry] of Object.entries(errorCatalog)) {
    expect(entry.message, code).toMatch(/^[A-Z].*[.]$/);
    expect(entry.action, code).toMatch(/^[A-Z].*[.]$/);
    expect(entry.message + entry.action, code).not.toContain('!');
  }
});

test('files are served with an unambiguous content type', () => {
  expect(getMediaType('a/INDEX.HTML')).toBe('text/html; charset=utf-8');
  expect(getMediaType('lib/x.mjs')).toBe('text/javascript; charset=utf-8');
  expect(getMediaType('app.pcss')).toBe('text/css; charset=utf-8');
  expect(getMediaType('LICENSE')).toBe('text/plain; charset=utf-8');
});
