import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultUnpackLimits, unpackTarball, type UnpackLimits } from '../src/registry/unpack.ts';
import { fuzz } from './fuzz.ts';
import { archiveHeader, makeArchive, paxEntry, type TarEntry } from '@vitrine/testing/tar-archive';

let temporaryFolder = '';
let folder = '';

beforeEach(async () => {
  temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-unpack-'));
  folder = join(temporaryFolder, 'deep/inside');
  await mkdir(folder, { recursive: true });
  await writeFile(join(temporaryFolder, 'outside.txt'), 'untouched');
});
afterEach(() => rm(temporaryFolder, { recursive: true, force: true }));

const json: TarEntry = { name: 'package/package.json', content: '{}' };

function sha512(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

async function unpack(bytes: Buffer, options: { integrity?: string; limits?: UnpackLimits } = {}) {
  const { integrity = sha512(bytes), limits = defaultUnpackLimits } = options;
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  };
  await unpackTarball(chunks(), folder, { integrity, limits });
}

/** Files next to the folder that was unpacked into. */
async function outside(): Promise<string[]> {
  const found = await readdir(temporaryFolder, { recursive: true });
  return found.filter((path) => !path.startsWith('deep/inside')).sort();
}

const untouched = ['deep', 'outside.txt'];

test('unpacks files and folders without the first folder', async () => {
  await unpack(
    makeArchive([
      { name: 'package/', type: '5' },
      json,
      { name: 'package/./lib/a.js', content: 'a'.repeat(5000) },
      paxEntry('path', `package/${'long/'.repeat(40)}é.js`),
      { name: 'package/short', content: 'é' },
    ]),
  );
  expect(await readFile(join(folder, 'lib/a.js'), 'utf8')).toBe('a'.repeat(5000));
  expect(await readFile(join(folder, `${'long/'.repeat(40)}é.js`), 'utf8')).toBe('é');
});

describe('PK-01: rejects the whole package for an unsafe path, and writes nothing outside:', () => {
  const climbing = [
    'package/../../evil',
    '/abs',
    'C:../../x',
    'package/C:/x',
    '..\\..\\x',
    'package/a\\b.js',
    'package/./../x',
    './package/x',
    'package//x',
    'package/ends.',
    'package/ends ',
    'package/a\tb',
    '../x',
    'package/lib/../../../outside.txt',
  ];
  test.each(climbing)('%j', async (name) => {
    await expect(unpack(makeArchive([json, { name, content: 'x' }]))).rejects.toMatchObject({
      code: 'package_unsafe',
    });
    expect(await outside()).toEqual(untouched);
    expect(await readFile(join(temporaryFolder, 'outside.txt'), 'utf8')).toBe('untouched');
  });

  test('a path in a PAX header, a GNU long name or after a NUL', async () => {
    const hidden: TarEntry[][] = [
      [paxEntry('path', 'package/../../evil'), { name: 'package/x', content: 'x' }],
      [
        { name: '././@LongLink', type: 'L', content: 'package/../../evil\0' },
        { name: 'package/x' },
      ],
      [paxEntry('path', 'package/a\0/../../evil'), { name: 'package/x', content: 'x' }],
    ];
    for (const entries of hidden) {
      await expect(unpack(makeArchive([json, ...entries]))).rejects.toMatchObject({
        code: 'package_unsafe',
      });
      expect(await outside()).toEqual(untouched);
    }
  });
});

test('PK-02: rejects a package with a link of any kind, and creates none', async () => {
  const links: TarEntry[][] = [
    [{ name: 'package/pw', type: '2', link: '/etc/passwd' }],
    [{ name: 'package/pw', type: '1', link: 'package/package.json' }],
    [
      { name: 'package/dir', type: '2', link: '../..' },
      { name: 'package/dir/evil', content: 'x' },
    ],
    [paxEntry('linkpath', '/etc/passwd'), { name: 'package/pw', type: '2', link: 'x' }],
  ];
  for (const entries of links) {
    await expect(unpack(makeArchive([json, ...entries]))).rejects.toMatchObject({
      code: 'package_unsafe',
    });
    expect(await outside()).toEqual(untouched);
    const made = await readdir(folder, { withFileTypes: true });
    expect(made.filter((entry) => entry.isSymbolicLink())).toEqual([]);
  }
});

test.each(['3', '4', '6', '7', 'S', 'D', 'M', 'V', 'Z', '9'])(
  'PK-03: rejects an entry of type %s',
  async (type) => {
    const archive = makeArchive([json, { name: 'package/thing', type, content: '' }]);
    await expect(unpack(archive)).rejects.toMatchObject({ code: 'package_unsafe' });
  },
);

describe('PK-04: rejects what exceeds a limit before it is on disk:', () => {
  const small: UnpackLimits = {
    packedBytes: 10_000_000,
    unpackedBytes: 1_000_000,
    fileBytes: 200_000,
    files: 50,
    depth: 8,
  };
  const fileOf = (bytes: number) => (_: unknown, n: number) => ({
    name: `package/${n}`,
    content: 'x'.repeat(bytes),
  });
  const cases: [string, string, () => TarEntry[]][] = [
    [
      'a large file',
      'has a file of 200,001 bytes',
      () => [{ name: 'package/big', content: 'x'.repeat(200_001) }],
    ],
    [
      'many large files',
      'is larger than 1,000,000 bytes unpacked',
      () => Array.from({ length: 9 }, fileOf(150_000)),
    ],
    // Entries that aren't files still have to be parsed.
    [
      'much besides the files',
      'is too large',
      () => Array.from({ length: 3 }, () => paxEntry('comment', 'x'.repeat(500_000))),
    ],
    ['many files', 'has more than 50 files', () => Array.from({ length: 60 }, fileOf(0))],
    ['deep folders', 'has folders nested 11 deep', () => [{ name: `package/${'a/'.repeat(9)}x` }]],
  ];
  test.each(cases)('%s', async (_, what, entries) => {
    await expect(
      unpack(makeArchive([json, ...entries()]), { limits: small }),
    ).rejects.toMatchObject({
      code: 'package_too_large',
      details: `The tarball ${what}`.replace(/(200,001 bytes)$/, '$1: package/big'),
    });
  });

  test('packed bytes', async () => {
    const limits = { ...small, packedBytes: 50 };
    await expect(unpack(makeArchive([json]), { limits })).rejects.toMatchObject({
      code: 'package_too_large',
      details: 'The tarball is larger than 50 bytes',
    });
  });

  test('200 MiB of zeros in 200 KB, within two seconds of work and little memory', async () => {
    const bomb = makeBomb(4, 50);
    expect(bomb.length).toBeLessThan(300_000);
    const memory = process.memoryUsage().rss;
    const before = process.cpuUsage();
    await expect(unpack(bomb)).rejects.toMatchObject({ code: 'package_too_large' });
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    expect(process.memoryUsage().rss - memory).toBeLessThan(300e6);
  });

  test('endless zeros after the archive, as quickly', async () => {
    const padded = Buffer.concat([makeArchive([json]), ...mebibytes(260)]);
    const before = process.cpuUsage();
    await expect(unpack(padded)).rejects.toMatchObject({ code: 'package_unsafe' });
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

/** Files of so many MiB of zeros each, in as many members of one gzip stream. */
function makeBomb(files: number, size: number): Buffer {
  return Buffer.concat(
    Array.from({ length: files }, (_, n) => [
      gzipSync(archiveHeader(`package/${n}`, size * 1024 ** 2)),
      ...mebibytes(size),
    ]).flat(),
  );
}

function mebibytes(count: number): Buffer[] {
  return Array.from({ length: count }, () => packedMebibyte);
}

const packedMebibyte = gzipSync(Buffer.alloc(1024 ** 2), { level: 9 });

describe('PK-05: an ambiguous tarball', () => {
  test('is rejected when its bytes have the wrong integrity, even if it is a valid package', async () => {
    const integrity = sha512(makeArchive([json]));
    const other = makeArchive([json, { name: 'package/more', content: '1' }]);
    await expect(unpack(other, { integrity })).rejects.toMatchObject({ code: 'package_damaged' });
  });

  const twins: [string, TarEntry[]][] = [
    ['two package.json', [json, { ...json, content: '{"a":1}' }]],
    [
      'a name with a dot in it',
      [json, { name: 'package/a.js', content: 'a' }, { name: 'package/./a.js', content: 'b' }],
    ],
    ['a file that is a folder too', [json, { name: 'package/a' }, { name: 'package/a/b' }]],
    ['two first folders', [json, { name: 'other/package.json', content: '{"a":1}' }]],
    ['no package.json', [{ name: 'package/index.js' }]],
  ];
  test.each(twins)('%s', async (_, entries) => {
    await expect(unpack(makeArchive(entries))).rejects.toMatchObject({ code: 'package_unsafe' });
  });

  test('is accepted when it contains the same bytes twice under one name', async () => {
    const twice: TarEntry[] = ['package/./a.js', 'package/a.js'].map((name) => ({
      name,
      content: 'a',
    }));
    await unpack(makeArchive([json, ...twice, json]));
    expect(await readFile(join(folder, 'a.js'), 'utf8')).toBe('a');
  });

  test('is rejected when it contains the same file more often than a package may have files', async () => {
    const many = Array.from({ length: 60 }, () => json);
    const limits = { ...defaultUnpackLimits, files: 50 };
    await expect(unpack(makeArchive(many), { limits })).rejects.toMatchObject({
      code: 'package_too_large',
    });
  });

  const similar = ['A.js', 'a.js', '\u00e9', 'e\u0301', 'ﬁ.js', 'fi.js'];

  test('is accepted when names differ in case or composition, and each is its own file', async () => {
    await unpack(
      makeArchive([json, ...similar.map((name) => ({ name: `package/${name}`, content: name }))]),
    );
    for (const name of similar) expect(await readFile(join(folder, name), 'utf8')).toBe(name);
  });

  test.each(similar)('is rejected when the file system has %s under another name', async (name) => {
    await writeFile(join(folder, name), 'first');
    const archive = makeArchive([json, { name: `package/${name}`, content: 'second' }]);
    await expect(unpack(archive)).rejects.toMatchObject({
      code: 'package_unsafe',
      details: expect.stringContaining('the same on this server’s file system'),
    });
    expect(await readFile(join(folder, name), 'utf8')).toBe('first');
  });

  test('is rejected when it is truncated or no tarball', async () => {
    const whole = makeArchive([json, { name: 'package/a', content: 'a'.repeat(9000) }]);
    for (const bytes of [whole.subarray(0, 60), Buffer.from('no tarball'), gzipSync('no tar')]) {
      await expect(unpack(bytes)).rejects.toMatchObject({ code: 'package_unsafe' });
    }
  });
});

test('unpacks or rejects an arbitrary archive, and touches nothing else', async () => {
  const part = fc.constantFrom(
    'a',
    'B',
    'b',
    '..',
    '.',
    '',
    'x\\y',
    'é',
    'package',
    'C:',
    ' ',
    '\0',
    'a.',
  );
  const entry = fc.record({
    name: fc.array(part, { maxLength: 5 }).map((parts) => ['package', ...parts].join('/')),
    type: fc.constantFrom('0', '0', '0', '0', '1', '2', '3', '5', '6', 'x', 'L', 'g', 'K'),
    content: fc.string({ maxLength: 40 }),
    link: fc.constantFrom('', '../../outside.txt', '/etc/passwd'),
  });
  const noise = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), noise, async (entries, flips) => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      const archive = makeArchive([json, ...entries]);
      for (const [at, byte] of flips) archive[at % archive.length] = byte;
      const failure: unknown = await unpack(archive).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) {
        expect(['package_unsafe', 'package_too_large']).toContain(
          (failure as { code?: unknown }).code,
        );
      }
      expect(await outside()).toEqual(untouched);
      expect(await readFile(join(temporaryFolder, 'outside.txt'), 'utf8')).toBe('untouched');
      const made = await readdir(folder, { recursive: true, withFileTypes: true });
      expect(made.every((item) => item.isFile() || item.isDirectory())).toBe(true);
    }),
    { numRuns: 100 * fuzz },
  );
});
