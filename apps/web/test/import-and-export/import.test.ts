import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createDocumentFromFiles,
  findErrorCode,
  getPathKey,
  limits,
  readFiles,
  validatePath,
  type ProjectFile,
} from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ImportTooLarge } from '../../app/import/imported-project.ts';
import { createPastedProject } from '../../app/import/pasted-code.ts';
import { readImport } from '../../app/import/project-import.ts';
import { classifyContent } from '../../app/workspace/assets/read-files.ts';
import { createZip } from '../../app/workspace/tree/download-files.ts';
import { makeZip, type ZipEntry } from '@vitrine/testing/zip-archive';

const mebibyte = 1024 * 1024;

const readZip = (bytes: Uint8Array | Blob, name = 'my-site.zip') =>
  readImport({
    entries: [],
    files: [new File([bytes instanceof Blob ? bytes : Uint8Array.from(bytes)], name)],
  });
const readEntries = (entries: readonly ZipEntry[]) => readZip(makeZip(entries));
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => 'resolved',
    (error: unknown) => findErrorCode(error),
  );

/** Reads entries. Returns texts by path, and what was left out. */
async function importEntries(entries: readonly ZipEntry[]) {
  const { files, leftOut, title } = await readEntries(entries);
  const texts: Record<string, string> = {};
  for (const { path, file } of files) texts[path] = await file.text();
  return { texts, leftOut, title };
}

const names = (...paths: string[]): ZipEntry[] => paths.map((name) => ({ name, content: name }));
const page: ZipEntry = { name: 'index.html', content: '<h1>Hi</h1>' };

describe('a zip is opened as a project', () => {
  test('with texts and bytes as they are', async () => {
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 255]);
    const { files, title, source, leftOut } = await readEntries([
      page,
      { name: 'img/logo.png', content: picture, method: 0 },
    ]);
    expect({ title, source, leftOut }).toEqual({
      title: 'my-site',
      source: 'my-site.zip',
      leftOut: [],
    });
    expect(files.map(({ path }) => path)).toEqual(['index.html', 'img/logo.png']);
    expect(await files[1]?.file.bytes()).toEqual(Uint8Array.from(picture));
  });

  test('without the folder around it', async () => {
    const { texts } = await importEntries([
      { name: 'repo-main/' },
      ...names('repo-main/index.html', 'repo-main/src/a.js', '__MACOSX/repo-main/._index.html'),
    ]);
    expect(Object.keys(texts)).toEqual(['index.html', 'src/a.js']);
  });

  test('uses the folder of the only index.html as root, unless there is code next to it', async () => {
    const site = await importEntries(names('README.md', 'site/index.html', 'site/a.js'));
    expect(Object.keys(site.texts)).toEqual(['index.html', 'a.js']);
    expect(site.leftOut).toEqual([{ path: 'README.md', reason: 'outside' }]);
    for (const paths of [
      ['public/index.html', 'src/index.js'],
      ['a/index.html', 'b/index.html'],
      ['index.md', 'docs/index.html'],
    ])
      expect(Object.keys((await importEntries(names(...paths))).texts)).toEqual(paths);
  });

  test('without what tools have written', async () => {
    const { texts, leftOut } = await importEntries([
      page,
      ...names(
        'node_modules/a/index.js',
        'node_modules/b/index.js',
        'docs/node_modules/c.js',
        '.git/HEAD',
        '.DS_Store',
        'yarn.lock',
        'dist/index.html',
      ),
      { name: 'package.json', content: '{"scripts":{"build":"vite build"}}' },
      {
        name: 'package-lock.json',
        content: '{"packages":{"node_modules/a":{"resolved": "https://a"}}}',
      },
    ]);
    expect(Object.keys(texts)).toEqual(['index.html', 'package.json']);
    expect(leftOut).toEqual([
      { path: 'node_modules', count: 2, reason: 'dependencies' },
      { path: 'docs/node_modules', count: 1, reason: 'dependencies' },
      { path: '.git', count: 1, reason: 'repository' },
      { path: '.DS_Store', count: 1, reason: 'system' },
      { path: 'dist', count: 1, reason: 'build' },
      { path: 'yarn.lock', reason: 'lockfile' },
      { path: 'package-lock.json', reason: 'lockfile' },
    ]);
  });

  test.each([
    ['index.html', '<script src="dist/tiny.js"></script>'],
    ['index.html', '<p>It’s "fun"<script type="module" src=./dist/tiny.js>'],
    ['index.html', `<script type="importmap">{"imports":{"tiny":"/dist/tiny.js"}}</script>`],
    ['demo/index.html', `<script type="module">import tiny from '../dist/tiny.js'</script>`],
    ['src/main.js', `import tiny from "../dist/tiny"`],
    ['src/main.ts', `new Worker(new URL('../dist/tiny.js', import.meta.url))`],
    ['style.css', `@import url(dist/tiny.css);`],
  ])('with build output that %s loads: %s', async (name, content) => {
    const manifest = { name: 'package.json', content: '{"scripts":{"build":"rollup -c"}}' };
    const output = [...names('dist/tiny.js', 'dist/tiny.css', 'build/other.js')];
    const loading = [...(name === 'index.html' ? [] : [page]), { name, content }];
    const { texts, leftOut } = await importEntries([...loading, manifest, ...output]);
    expect(Object.keys(texts)).toEqual([
      ...loading.map((entry) => entry.name),
      'package.json',
      'dist/tiny.js',
      'dist/tiny.css',
    ]);
    expect(leftOut).toEqual([{ path: 'build', count: 1, reason: 'build' }]);
  });

  test.each([
    ['rollup.config.js', `export default { output: { file: require('dist/tiny.js') } }`],
    ['src/main.js', `export default 'dist/tiny.js'`],
    ['src/main.js', `import tiny from 'dist/tiny.js'`],
    ['README.md', 'Built to dist/tiny.js'],
    ['index.html', '<script src="https://cdn.example/dist/tiny.js"></script>'],
  ])('without build output that %s only names: %s', async (name, content) => {
    const manifest = { name: 'package.json', content: '{"scripts":{"build":"rollup -c"}}' };
    const { leftOut } = await importEntries([
      { name, content },
      manifest,
      ...names('dist/tiny.js'),
    ]);
    expect(leftOut).toEqual([{ path: 'dist', count: 1, reason: 'build' }]);
  });

  test.each([
    ['next', 'Next.js', 'out'],
    ['nuxt', 'Nuxt', '.output/public'],
    ['@sveltejs/kit', 'SvelteKit', 'build'],
    ['astro', 'Astro', 'dist'],
    ['@remix-run/react', 'Remix', 'build/client'],
    ['@react-router/dev', 'React Router in framework mode', 'build/client'],
    ['@solidjs/start', 'SolidStart', '.output/public'],
    ['@angular/core', 'Angular', 'dist/NAME/browser'],
  ])('with the name of its framework: %s', async (dependency, name, folder) => {
    const manifest = {
      name: 'package.json',
      content: JSON.stringify({ devDependencies: { [dependency]: '1' } }),
    };
    const { framework } = await readEntries([manifest, ...names('src/index.html', 'src/a.ts')]);
    expect(framework?.name).toBe(name);
    expect(framework?.how).toContain(`the folder ${folder}`);
    expect((await readEntries([manifest, page])).framework).toBeUndefined();
  });

  test('with a folder “dist” that no script builds, and a lockfile of ours', async () => {
    const paths = ['index.html', 'dist/a.js', 'package.json', 'package-lock.json'];
    const { texts } = await importEntries([
      ...names('index.html', 'dist/a.js'),
      { name: 'package.json', content: '{"scripts":{"test":"vitest"}}' },
      { name: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{"":{}}}' },
    ]);
    expect(Object.keys(texts)).toEqual(paths);
  });
});

describe('WB-12 a zip that nobody should trust', () => {
  test.each([
    '../evil.js',
    'a/../../evil.js',
    '/etc/passwd',
    'C:\\..\\evil.js',
    '..\\..\\evil.js',
    'a//b.js',
    './a.js',
    'a\u0000.js',
    'a\nb.js',
    ' a.js',
    'a/__vitrine-x.js',
    `${'a'.repeat(256)}.js`,
    `${'long/'.repeat(60)}a.js`,
  ])('keeps %j out', async (name) => {
    const { texts, leftOut } = await importEntries([page, { name, content: 'evil', isUtf8: true }]);
    expect(Object.keys(texts)).toEqual(['index.html']);
    expect(leftOut).toMatchObject([{ reason: 'invalid_path' }]);
  });

  test('keeps links, programs, large files and second files of a name out', async () => {
    const { texts, leftOut } = await importEntries([
      page,
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'run.exe', content: `MZ${'\0'.repeat(80)}` },
      { name: 'INDEX.html', content: 'other' },
      { name: 'index.html', content: 'again' },
      { name: 'index.html/a.js', content: 'below a file' },
      { name: 'big.bin', content: 'little', size: limits.assetMaxBytes + 1 },
    ]);
    expect(leftOut.map(({ path, reason }) => `${path}: ${reason}`).toSorted()).toEqual([
      'INDEX.html: duplicate',
      'big.bin: asset_too_large',
      'index.html: duplicate',
      'index.html: duplicate',
      'link: link',
      'run.exe: program_refused',
    ]);
    expect(texts).toEqual({ 'index.html/a.js': 'below a file' });
  });

  test('has names in UTF-8 or code page 437, with or without the flag', async () => {
    const { texts } = await importEntries([
      page,
      { name: 'grüße.js', isUtf8: true },
      { name: 'e\u0301te\u0301.js', isUtf8: true },
      { name: '日本.js' },
      { name: Buffer.from([0x81, 0x62, 0x65, 0x72, 0x2e, 0x6a, 0x73]) },
    ]);
    expect(Object.keys(texts)).toEqual(['index.html', 'grüße.js', 'été.js', '日本.js', 'über.js']);
  });

  test.each([
    ['shift_jis', '画像/犬.png 素材/表紙.png', '89e6919c2f8ca22e706e67 91668dde2f955c8e862e706e67'],
    ['shift_jis', '犬.png', '8ca22e706e67'],
    [
      'shift_jis',
      'スクリプト.js はじめに.txt',
      '8358834e838a837683672e6a73 82cd82b682df82c92e747874',
    ],
    ['euc-jp', '画像/犬.png はじめに.txt', 'b2e8c1fc2fb8a42e706e67 a4cfa4b8a4e1a4cb2e747874'],
    [
      'gbk',
      '图片/你好.png 首页.html 新建文件夹/样式.css',
      'cdbcc6ac2fc4e3bac32e706e67 cad7d2b32e68746d6c d0c2bda8cec4bcfebcd02fd1f9cabd2e637373',
    ],
    ['big5', '圖片/你好.png 首頁.html', 'b9cfa4f92fa741a66e2e706e67 adbaadb62e68746d6c'],
    [
      'euc-kr',
      '이미지/강아지.png 새폴더/스타일.css',
      'c0ccb9ccc1f62fb0adbec6c1f62e706e67 bbf5c6fab4f52fbdbac5b8c0cf2e637373',
    ],
    [
      'ibm866',
      'Привет.js картинки/собака.png',
      '8fe0a8a2a5e22e6a73 aaa0e0e2a8adaaa82fe1aea1a0aaa02e706e67',
    ],
    [
      'windows-1251',
      'Привет.js картинки/собака.png НОВАЯ/a.css',
      'cff0e8e2e5f22e6a73 eae0f0f2e8edeae82ff1eee1e0eae02e706e67 cdcec2c0df2f612e637373',
    ],
    [
      'cp437',
      'über.js été.js Größe/año.png',
      '816265722e6a73 8274822e6a73 477294e1652f61a46f2e706e67',
    ],
    [
      'windows-1252',
      'über.js été.js Größe/año.png',
      'fc6265722e6a73 e974e92e6a73 4772f6df652f61f16f2e706e67',
    ],
  ])('has names in %s: %s', async (encoding, decoded, encoded) => {
    const zip = makeZip([
      page,
      ...encoded.split(' ').map((hex) => ({ name: Buffer.from(hex, 'hex'), content: 'a' })),
    ]);
    const found = await readZip(zip);
    expect(found.encoding).toBe(encoding);
    expect(found.files.map(({ path }) => path)).toEqual([
      'index.html',
      ...decoded.split(' ').map((name) => name.normalize('NFC')),
    ]);
    const files = [new File([Uint8Array.from(zip)], 'site.zip')];
    const other = await readImport({ entries: [], files, encoding: 'cp437' });
    expect(other.encoding).toBe('cp437');
    expect((await readEntries([page])).encoding).toBeUndefined();
  });

  test('may use 64-bit sizes', async () => {
    const { texts } = await importEntries([
      { ...page, isZip64: true },
      { name: 'a.js', content: 'a', isZip64: true },
    ]);
    expect(texts).toEqual({ 'index.html': '<h1>Hi</h1>', 'a.js': 'a' });
  });

  test('is rejected with the reason', async () => {
    const sound = makeZip([page, { name: 'a.js', content: 'let a;'.repeat(1000) }]);
    const cases: [string, () => Promise<unknown>][] = [
      ['zip_damaged', () => readZip(Buffer.from('not a zip'))],
      ['zip_damaged', () => readZip(Buffer.alloc(0))],
      ['zip_damaged', () => readZip(sound.subarray(0, sound.length - 30))],
      ['zip_damaged', () => readZip(sound.subarray(20))],
      ['zip_damaged', () => readEntries([{ ...page, checksum: 1 }])],
      ['zip_damaged', () => readEntries([{ ...page, size: 3 }])],
      ['zip_damaged', () => readEntries([{ ...page, size: 300 }])],
      ['zip_encrypted', () => readEntries([{ ...page, isEncrypted: true }])],
      ['archive_unsupported', () => readEntries([{ ...page, method: 93 }])],
      ['import_empty', () => readEntries([])],
      ['import_empty', () => readEntries(names('node_modules/a.js'))],
      ['import_empty', () => readEntries([{ name: '../a.js' }])],
      ['archive_unsupported', () => readZip(sound, 'site.tar.gz')],
      [
        'archive_of_account',
        () => readEntries(names('account.json', 'profile.json', 'sessions.json')),
      ],
      [
        'project_too_large',
        () =>
          readEntries(
            Array.from({ length: 11 }, (_, n) => ({
              name: `${n}.js`,
              content: ' '.repeat(mebibyte),
            })),
          ),
      ],
      [
        'too_many_files',
        () =>
          readEntries(
            names(...Array.from({ length: limits.projectMaxFiles + 1 }, (_, n) => `${n}.js`)),
          ),
      ],
    ];
    for (const [code, result] of cases) expect(await codeOf(result())).toBe(code);
  });

  test('of more or larger files than a project can have offers to choose some of them', async () => {
    const many = Array.from({ length: limits.projectMaxFiles }, (_, n) => `many/${n}.js`);
    const large = Array.from({ length: 11 }, (_, n) => ({
      name: `large/${n}.js`,
      content: ' '.repeat(mebibyte),
    }));
    for (const entries of [names('site/index.html', 'site/a.js', ...many), [page, ...large]]) {
      const error = await readEntries(entries).catch((each: unknown) => each);
      if (!(error instanceof ImportTooLarge)) throw new Error('not refused', { cause: error });
      expect(error.source).toBe('my-site.zip');
      expect(error.entries.map(({ path }) => path)).toEqual(entries.map(({ name }) => name));
      const first = error.entries.filter(({ path }) => !/^(?:many|large)\//.test(path));
      const chosen = await error.importSome(new Set(first.map(({ path }) => path)));
      expect(chosen.files.map(({ path }) => path)).toEqual(
        first.map(({ path }) => path.replace('site/', '')),
      );
      const all = error.importSome(new Set(error.entries.map(({ path }) => path)));
      await expect(all).rejects.toBeInstanceOf(ImportTooLarge);
    }
  });

  const list = (folder: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${folder}/${n}.js`, method: 0 }));

  test('of 10,000 files is rejected quickly', async () => {
    expect(await codeOf(readEntries(list('a', 10_000)))).toBe('too_many_files');
    const build = { name: 'package.json', content: '{"scripts":{"build":"vite build"}}' };
    expect(await codeOf(readEntries([page, build, ...list('dist', 10_000)]))).toBe(
      'too_many_files',
    );
  });

  test('skips 60,000 files in node_modules quickly', async () => {
    const { texts, leftOut } = await importEntries([page, ...list('node_modules', 60_000)]);
    expect(Object.keys(texts)).toEqual(['index.html']);
    expect(leftOut).toEqual([{ path: 'node_modules', count: 60_000, reason: 'dependencies' }]);
    expect(await codeOf(readEntries(list('node_modules', 65_536)))).toBe('too_many_files');
  });

  test('isn’t unpacked if it declares too much, and not further than it declares', async () => {
    // Reading any of these would fail.
    const large = { content: 'x', size: 9 * mebibyte };
    const many = Array.from({ length: 13 }, (_, n) => ({ ...large, name: `${n}.bin` }));
    expect(await codeOf(readEntries(many))).toBe('assets_too_large');
    const lying = makeZip([{ name: 'a.bin', content: Buffer.alloc(200 * mebibyte), size: 100 }]);
    const before = process.memoryUsage().arrayBuffers;
    let peak = before;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)));
    expect(await codeOf(readZip(lying))).toBe('zip_damaged');
    clearInterval(sampling);
    expect(peak - before).toBeLessThan(20 * mebibyte);
  });

  describe('of 2 GB', () => {
    const size = 2 * 1024 * mebibyte;

    /** A file that ends with these bytes. Records how many bytes are read at once. */
    function createLargeFile(end: Buffer, read: number[]): File {
      const file = new File([], 'big.zip');
      Object.defineProperty(file, 'size', { value: size });
      file.slice = (from = 0, to = from) => {
        read.push(to - from);
        if (to - from > 64 * mebibyte) throw new Error(`${to - from} bytes were read`);
        const part = Buffer.alloc(to - from);
        const start = size - end.length;
        end.copy(part, Math.max(0, start - from), Math.max(0, from - start));
        return new Blob([part]);
      };
      return file;
    }

    test('is read only where needed', async () => {
      const read: number[] = [];
      const file = createLargeFile(makeZip([page]), read);
      const { files } = await readImport({ entries: [], files: [file] });
      expect(files.map(({ path }) => path)).toEqual(['index.html']);
      expect(Math.max(...read)).toBeLessThan(mebibyte);
    });

    test('isn’t read if it’s a list of files', async () => {
      const end = makeZip([]);
      end.writeUInt16LE(1, 10);
      end.writeUInt32LE(size - end.length, 12);
      const file = createLargeFile(end, []);
      expect(await codeOf(readImport({ entries: [], files: [file] }))).toBe('too_many_files');
    });
  });
});

describe('an exported zip opens as the same files', () => {
  /** Files as the project has them, with the bytes of its assets by hash. */
  async function roundTrip(contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>) {
    const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
    const project: [string, ProjectFile][] = [...contents].map(([path, content]) => {
      const found = classifyContent(path, content);
      if (typeof found === 'string') return [path, { kind: 'text', text: found }];
      const hash = createHash('sha256').update(content).digest('hex');
      bytes.set(hash, content);
      return [path, { kind: 'asset', hash, size: content.length, mediaType: found.mediaType }];
    });
    const getBytes = (hash: string) => bytes.get(hash) ?? new Uint8Array();
    const files = readFiles(createDocumentFromFiles(project));
    const exported = new Map<string, Uint8Array>();
    const load = async ({ hash }: { hash: string }) => new Blob([getBytes(hash)]);
    for (const [path, file] of files)
      exported.set(path, file.kind === 'text' ? Buffer.from(file.text) : getBytes(file.hash));
    const zip = await createZip({ files, isProject: true, loadAsset: load });
    const { files: imported, leftOut } = await readZip(zip);
    expect(leftOut).toEqual([]);
    expect(imported.map(({ path }) => path).toSorted()).toEqual([...exported.keys()].toSorted());
    for (const { path, file } of imported) {
      const content = Buffer.from(await file.arrayBuffer());
      expect(content.equals(exported.get(path) ?? Buffer.from('none')), path).toBe(true);
      expect(typeof classifyContent(path, Uint8Array.from(content))).toBe(
        files.get(path)?.kind === 'text' ? 'string' : 'object',
      );
    }
  }

  const examples = join(import.meta.dirname, '../../../../examples');

  test('for all examples', async () => {
    const folders = (await readdir(examples, { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() && entry.name !== 'node_modules',
    );
    expect(folders.length).toBeGreaterThan(30);
    for (const { name } of folders) {
      const found = await readdir(join(examples, name), { recursive: true, withFileTypes: true });
      const contents = new Map<string, Uint8Array<ArrayBuffer>>();
      for (const entry of found.filter((each) => each.isFile())) {
        const path = join(entry.parentPath, entry.name);
        contents.set(
          path.slice(join(examples, name).length + 1),
          Uint8Array.from(await readFile(path)),
        );
      }
      await roundTrip(contents);
    }
  });

  test('for a project whose files are all in one folder', async () => {
    await roundTrip(
      new Map([
        ['src/a.js', Uint8Array.from(Buffer.from('1'))],
        ['src/b/c.js', Uint8Array.from(Buffer.from('2'))],
      ]),
    );
  });

  test('for projects with odd names and bytes', async () => {
    const segment = fc
      .oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
        fc.constantFrom(
          'a',
          'A',
          'ß',
          'ſ',
          'İ',
          'dist',
          'con',
          '%2e%2e',
          '.env',
          'a.b.c',
          '~',
          '#?&',
        ),
      )
      .map((name) => name.normalize('NFC').replaceAll('/', ''));
    const path = fc
      .tuple(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '.js', '.png', '.csv', '.HTML'),
      )
      .map(([segments, end]) => segments.join('/') + end)
      .filter((each) => validatePath(each) === undefined);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ unit: 'binary', maxLength: 64 }).map((text) => Buffer.from(text)),
      fc.constantFrom('a\r\nb', '\uFEFFa', 'a\0b').map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(path, bytes), {
          maxLength: 20,
          selector: ([each]) => getPathKey(each),
        }),
        async (entries) => {
          const files = new Map<string, Uint8Array<ArrayBuffer>>([
            ['index.html', Uint8Array.from(Buffer.from('<p>'))],
          ]);
          const keys = entries.map(([each]) => getPathKey(each));
          for (const [name, content] of entries) {
            const key = getPathKey(name);
            const isFolder = keys.some((other) => other.startsWith(`${key}/`));
            if (key !== 'index.html' && !isFolder) files.set(name, Uint8Array.from(content));
          }
          await roundTrip(files);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('recognizes pasted code, adds a page that runs it, and what it imports', () => {
  const packages = ['package-lock.json', 'package.json'];
  const cases: [string, string, string[]][] = [
    ['<!doctype html><h1>Hi</h1>', 'HTML', ['index.html']],
    ['  <p>Hi <b>you</b></p>', 'HTML', ['index.html']],
    ['<!-- a --><div class="a"></div><script>let a = {};</script>', 'HTML', ['index.html']],
    ['<svg viewBox="0 0 1 1"></svg>', 'HTML', ['index.html']],
    ['body { color: red; }\n.a > b { margin: 0 }', 'CSS', ['index.html', 'style.css']],
    ['@import url(a.css);\n:root { --a: 1px }', 'CSS', ['index.html', 'style.css']],
    ['/* red */\n#a { color: red }', 'CSS', ['index.html', 'style.css']],
    ['const a = { b: 1 };\nconsole.log(a);', 'JavaScript', ['index.html', 'script.js']],
    ['document.body.append("hi")', 'JavaScript', ['index.html', 'script.js']],
    ['// a\nalert(1)', 'JavaScript', ['index.html', 'script.js']],
    ['x', 'JavaScript', ['index.html', 'script.js']],
    ['interface A { b: string }\nlet a: A;', 'TypeScript', ['index.html', 'script.ts']],
    [
      'export function f(a: number): string { return `${a}` }',
      'TypeScript',
      ['index.html', 'script.ts'],
    ],
    [
      'export default function App() { return <h1>Hi</h1>; }',
      'JSX',
      ['index.html', 'main.jsx', 'App.jsx', ...packages],
    ],
    [
      'export const App = ({ a }: { a: string }) => <p>{a}</p>;',
      'TSX',
      ['index.html', 'main.jsx', 'App.tsx', ...packages],
    ],
    [
      "import { createRoot } from 'react-dom/client';\ncreateRoot(document.body).render(<p>a</p>);",
      'JSX',
      ['index.html', 'main.jsx', ...packages],
    ],
    [
      '<script setup>\nlet a = 1;\n</script>\n<template>{{ a }}</template>',
      'Vue',
      ['index.html', 'main.js', 'App.vue', ...packages],
    ],
    [
      '<script>\nlet a = $state(1);\n</script>\n{#if a}<p>{a}</p>{/if}',
      'Svelte',
      ['index.html', 'main.js', 'App.svelte', ...packages],
    ],
    [
      "import { h } from 'preact';\nexport const App = () => <p>a</p>;",
      'JSX',
      ['index.html', 'main.jsx', 'App.jsx'],
    ],
    ['# Birds\n\nThey fly.', 'Markdown', ['index.md']],
  ];
  for (const [code, language, files] of cases) {
    const project = createPastedProject(code);
    expect({
      code,
      language: project?.language,
      files: [...(project?.files.keys() ?? [])],
    }).toEqual({ code, language, files });
    expect([...(project?.files.values() ?? [])]).toContain(code);
  }
  expect(createPastedProject(' \n')).toBeUndefined();
});
