import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  getPathKey,
  validatePath,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import {
  openBinary,
  parseSingleFile,
  projectElement,
  writeJsonElement,
  type SingleFileSource,
} from '@vitrine/sandbox/single-file-format';
import fc from 'fast-check';
import { build } from 'vite';
import { describe, expect, test } from 'vitest';
import { formatMarkdown } from '../../app/export/markdown.ts';
import { listRuntimeFiles } from '../../app/export/runtime-files.ts';
import { createViteProject } from '../../app/export/vite-project.ts';
import { readImport } from '../../app/import/project-import.ts';
import { createZip } from '../../app/workspace/tree/download-files.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const examples = join(root, 'examples');

/** A project's files with the bytes of its assets. */
interface Project {
  readonly files: ProjectFiles;
  readonly bytes: ReadonlyMap<AssetFile, Uint8Array<ArrayBuffer>>;
}

function createProject(contents: ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>): Project {
  const bytes = new Map<AssetFile, Uint8Array<ArrayBuffer>>();
  const files: ProjectFiles = new Map(
    Array.from(contents, ([path, content]): [string, ProjectFile] => {
      if (typeof content === 'string') return [path, { kind: 'text', text: content }];
      const asset: AssetFile = {
        kind: 'asset',
        hash: String(bytes.size),
        size: content.length,
        mediaType: 'application/octet-stream',
      };
      bytes.set(asset, content);
      return [path, asset];
    }),
  );
  return { files, bytes };
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

const toZip = ({ files, bytes }: Project, folder?: string) =>
  createZip({
    files,
    isProject: true,
    ...(folder !== undefined && { folder }),
    loadAsset: (asset) => Promise.resolve(new Blob([bytes.get(asset) ?? new Uint8Array()])),
  });

async function importFile(blob: Blob, name: string) {
  const { files, leftOut } = await readImport({ entries: [], files: [new File([blob], name)] });
  const found = await Promise.all(
    files.map(async ({ path, file }) => [path, await file.bytes()] as const),
  );
  return { files: new Map(found), leftOut };
}

/** Expects an import to have exactly these files. */
async function expectSame(
  blob: Blob,
  name: string,
  contents: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  const { files, leftOut } = await importFile(blob, name);
  expect(leftOut).toEqual([]);
  expect([...files.keys()].sort()).toEqual([...contents.keys()].sort());
  for (const [path, content] of contents)
    expect(Buffer.from(files.get(path) ?? []).equals(toBytes(content)), path).toBe(true);
}

/** The part of a file that an import reads. */
function toHtml(contents: ReadonlyMap<string, string | Uint8Array>): Blob {
  const binaries: Uint8Array[] = [];
  const source: SingleFileSource = {
    version: 1,
    title: '</title><script>',
    files: Array.from(contents, ([path, content]) => [
      path,
      typeof content === 'string' ? content : binaries.push(content) - 1,
    ]),
  };
  return new Blob([
    '<!doctype html>\n<title>Any</title>\n',
    writeJsonElement(projectElement, source),
    ...binaries.map(
      (each, number) => `${openBinary(number)}${Buffer.from(each).toString('base64')}</script>\n`,
    ),
  ]);
}

async function readExample(name: string): Promise<Map<string, string>> {
  const folder = join(examples, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== 'example.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const),
    ),
  );
}

const names = (await readdir(examples, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name);

const segment = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.constantFrom('ä b', '#1', '%41', "q'uote", '</script>', 'a.js', 'index.md', '.env', '&amp;'),
  )
  .map((name) => name.normalize('NFC').trim());
const paths = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'))
  .filter((path) => !validatePath(path) && !/^(?:\.vitrine|README|node_modules)/i.test(path));
const contents = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '\r\n</script><!--', '\ufeffmark', '```\n````', '\u2028', 'a\r'),
  // The first bytes are no text in any encoding.
  fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) =>
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff, ...bytes]),
    ),
);
const projects = fc.array(fc.tuple(paths, contents), { maxLength: 8 }).map((entries) => {
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>([['index.html', '<h1>Hi</h1>']]);
  for (const [path, content] of entries)
    if (!isTaken(path, [...files.keys()])) files.set(path, content);
  return files;
});

/** Whether a project with these paths can't have another one, as it's a file's or a folder's. */
function isTaken(path: string, others: readonly string[]): boolean {
  const key = getPathKey(path);
  const keys = others.map(getPathKey);
  return keys.some(
    (other) => other === key || other.startsWith(`${key}/`) || key.startsWith(`${other}/`),
  );
}

describe('an export is imported with the same files, byte for byte', () => {
  test.each(names)('%s', async (name) => {
    const files = await readExample(name);
    const project = createProject(files);
    await expectSame(await toZip(project), 'a.zip', files);
    await expectSame(toHtml(files), 'a.html', files);
    const vite = createViteProject(name, project.files);
    await expectSame(await toZip({ ...project, files: vite }, name), 'a.zip', files);
  });

  test('also with odd names and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(projects, async (files) => {
        const project = createProject(files);
        await expectSame(await toZip(project), 'a.zip', files);
        await expectSame(toHtml(files), 'a.html', files);
        const vite = createViteProject('</title>', project.files);
        await expectSame(await toZip({ ...project, files: vite }, 'x'), 'a.zip', files);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an HTML file', () => {
  test('that isn’t ours is imported as a page', async () => {
    const html = '<h1>Hi</h1>';
    await expectSame(new Blob([html]), 'a.html', new Map([['index.html', html]]));
  });

  test('that anyone has changed gives only what a project can have', async () => {
    const hostile = toHtml(
      new Map([
        ['../evil.js', 'x'],
        ['a.js', 'y'],
      ]),
    );
    const { files, leftOut } = await importFile(hostile, 'a.html');
    expect([...files.keys()]).toEqual(['a.js']);
    expect(leftOut).toEqual([{ path: '../evil.js', reason: 'invalid_path' }]);
  });

  test('with damaged or unknown data is no project', () => {
    const write = (value: unknown) => writeJsonElement(projectElement, value);
    const file = { version: 1, title: 't', files: [['a', 'b']] };
    expect(parseSingleFile(write(file))).toEqual({ title: 't', files: [['a', 'b']] });
    for (const wrong of [
      null,
      { ...file, version: 2 },
      { ...file, title: 1 },
      { ...file, files: {} },
      { ...file, files: [['a', 0]] },
      { ...file, files: [['a']] },
    ])
      expect(parseSingleFile(write(wrong))).toBeUndefined();
    expect(
      parseSingleFile(`${write({ ...file, files: [['a', 0]] })}${openBinary(0)}?</script>`),
    ).toBeUndefined();
  });
});

describe('a Vite project', () => {
  const texts = (files: Record<string, string>) =>
    createProject(new Map(Object.entries(files))).files;
  const read = (files: ProjectFiles, path: string) => {
    const file = files.get(path);
    return file?.kind === 'text' ? file.text : '';
  };

  test('keeps an author’s config, scripts and files', () => {
    const own = {
      'index.html': '<h1>Hi</h1>',
      'README.md': 'Mine',
      '.gitignore': 'x',
      'vite.config.ts': 'export default {};',
      'package.json':
        '{"name":"mine","scripts":{"dev":"vite --host"},"devDependencies":{"vite":"^7"}}',
    };
    const files = createViteProject('Title', texts(own));
    for (const path of ['README.md', '.gitignore', 'vite.config.ts'] as const)
      expect(read(files, path)).toBe(own[path]);
    expect(JSON.parse(read(files, 'package.json'))).toMatchObject({
      name: 'mine',
      scripts: { dev: 'vite --host', build: 'vite build' },
      devDependencies: { vite: '^7' },
    });
    expect(files.has('vite.config.js')).toBe(false);
  });

  test('has the tools for the versions in its lockfile', () => {
    const lockfile = {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { svelte: '*' } },
        'node_modules/svelte': { version: '4.2.20', integrity: `sha512-${'A'.repeat(86)}==` },
      },
    };
    const own = {
      'index.html': '<script type="module" src="main.js"></script>',
      'App.svelte': '<h1>Hi</h1>',
      'package.json': '{"dependencies":{"svelte":"*"}}',
      'package-lock.json': JSON.stringify(lockfile),
    };
    const manifest: unknown = JSON.parse(
      read(createViteProject('Title', texts(own)), 'package.json'),
    );
    expect(manifest).toMatchObject({
      devDependencies: { vite: '^5.4.21', '@sveltejs/vite-plugin-svelte': '^3.1.2' },
    });
  });

  test('keeps what was edited since, and drops the rest', async () => {
    const files = new Map(createViteProject('Title', texts({ 'index.html': '<h1>Hi</h1>' })));
    files.set('package.json', { kind: 'text', text: '{"dependencies":{"three":"*"}}' });
    const { files: found } = await importFile(
      await toZip({ files, bytes: new Map() }, 'x'),
      'a.zip',
    );
    expect([...found.keys()].sort()).toEqual(['index.html', 'package.json']);
  });

  test('copies what its pages load while they run, and nothing else', () => {
    const page = (body: string) => ({ 'index.html': body });
    const cases: [files: Record<string, string>, copied: string[]][] = [
      [{ ...page('<script>fetch("data.json")</script>'), 'data.json': '' }, ['data.json']],
      [{ ...page('<script src="a.js"></script>'), 'a.js': '', 'b.js': '' }, ['a.js']],
      [{ ...page('<script type="module" src="a.js"></script>'), 'a.js': '' }, []],
      [{ ...page('<a href="/notes/a%20b.pdf?x">'), 'notes/a b.pdf': '' }, ['notes/a b.pdf']],
      [{ ...page('<img src="a.png"><link href="a.css">'), 'a.png': '', 'a.css': '' }, []],
      [{ 'a.css': 'a { background: url("b.png") }', 'b.png': '' }, []],
      [{ 'a.js': 'img.src = `img/${name}.png`', 'img/1.png': '', 'b/2.gif': '' }, ['img/1.png']],
      [{ 'a.ts': 'load("levels/" + name + ".txt")', 'levels/1.txt': '' }, ['levels/1.txt']],
      [{ 'a.js': 'fetch(`${name}.json`)', 'b.json': '', 'package.json': '' }, ['b.json']],
      [{ 'src/a.js': 'new Worker("../lib/w.js")', 'lib/w.js': '', 'w.js': '' }, ['lib/w.js']],
      [
        {
          'a.js': 'new Worker("w.js", { type: "module" })',
          'w.js': 'import { b } from "./b.js"',
          'b.js': 'export * from "./c.js"',
          'c.js': '',
        },
        ['w.js', 'b.js', 'c.js'],
      ],
      [{ 'a.js': 'import b from "./b.json"; import "./c.css"', 'b.json': '', 'c.css': '' }, []],
      [{ 'a.js': 'import("./b.js"); export * from "./c.js"', 'b.js': '', 'c.js': '' }, []],
      [{ 'a.js': 'new Worker(new URL("w.js", import.meta.url))', 'w.js': '' }, []],
      [{ 'a.js': 'el.innerHTML = `<img src="a.svg">`', 'a.svg': '' }, ['a.svg']],
      [{ 'App.svelte': '<img src="a.svg">', 'a.svg': '' }, ['a.svg']],
      [{ 'App.jsx': '<img src="a.svg" />', 'a.svg': '' }, ['a.svg']],
      [{ 'a.test.js': 'read("b.txt")', 'vite.config.js': 'read("b.txt")', 'b.txt': '' }, []],
      [{ 'a.ts': '"b.ts"', 'b.ts': '', 'README.md': '', LICENSE: '', 'tsconfig.json': '' }, []],
      [{ 'a.js': 'fetch("/b.json")', 'public/b.json': '' }, []],
    ];
    for (const [files, copied] of cases) {
      const found = listRuntimeFiles(new Map(Object.entries(files)), Object.keys(files));
      expect({ files, copied: found }).toEqual({ files, copied });
    }
  });

  test.each(['html', 'typescript', 'markdown', 'lamp', 'mandelbrot'])(
    'of %s builds, with the files that it reads while it runs',
    async (name) => {
      await mkdir(join(root, '.cache'), { recursive: true });
      // Within the repository, so that Vite is found.
      const folder = await mkdtemp(join(root, '.cache/vite-'));
      const before = process.cwd();
      try {
        const own = await readExample(name);
        for (const [path, file] of createViteProject(name, createProject(own).files)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), file.kind === 'text' ? file.text : '');
        }
        process.chdir(folder);
        await build({ root: folder, logLevel: 'silent' });
        const built = await readdir(join(folder, 'dist'), { recursive: true });
        expect(built).toContain('index.html');
        const others = built.filter((path) => !/^(?:assets(?:\/|$)|[^/]+\.html$)/.test(path));
        expect(others).toEqual(name === 'mandelbrot' ? ['worker.js'] : []);
      } finally {
        process.chdir(before);
        await rm(folder, { recursive: true });
      }
    },
  );
});

describe('Markdown', () => {
  test('has every text file in a block that ends where the file ends', () => {
    fc.assert(
      fc.property(projects, (files) => {
        const { text, leftOut } = formatMarkdown('A *title*', createProject(files).files);
        const binary = [...files].filter(([, content]) => typeof content !== 'string');
        expect(leftOut).toEqual(binary.map(([path]) => path));
        const own = [...files.values()].filter((content) => typeof content === 'string');
        expect(readBlocks(text)).toEqual(own.map((content) => content.replace(/\n$/, '')));
      }),
    );
  });

  test('has a fence for any number of backticks', () => {
    const { files } = createProject(new Map([['a.md', '`` '.repeat(300_000)]]));
    expect(formatMarkdown('T', files).text).toContain('\n```md\n``');
  });

  test('names each file and its language', () => {
    const { files } = createProject(
      new Map([
        ['src/a`b.ts', 'let a;'],
        ['package-lock.json', '{}'],
      ]),
    );
    expect(formatMarkdown('T', files).text).toBe(
      '# T\n\n## ``src/a`b.ts``\n\n```ts\nlet a;\n```\n',
    );
  });
});

/** Contents of the fenced code blocks, without the line break at their end (CommonMark, section 4.5). */
function readBlocks(markdown: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const fence = /^(`{3,})[^`]*$/.exec(line)?.[1];
    const isEnd = open !== undefined && /^`+$/.test(line) && line.length >= open.fence.length;
    if (open && isEnd) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence !== undefined) open = { fence, lines: [] };
  }
  return blocks;
}
