import { toTextFiles, type AssetFile, type ProjectFile } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

/** A black picture. */
function createPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit per pixel, in shades of gray.
  header[8] = 1;
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')];
  return Uint8Array.from(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]));
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** `(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))` */
const addModule = Uint8Array.from(
  Buffer.from(
    '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b',
    'hex',
  ),
);

/** Stores the bytes at the rig's server. */
function upload(bytes: Uint8Array<ArrayBuffer>, mediaType: string): AssetFile {
  const hash = createHash('sha256').update(bytes).digest('hex');
  at.rig.assets.set(hash, bytes);
  return { kind: 'asset', hash, size: bytes.length, mediaType };
}

const files = {
  'index.html': `<!doctype html><link rel="stylesheet" href="css/style.css">
<img id="picture" src="images/picture.png" alt=""><img id="imported" alt="">
<script type="module" src="main.js"></script>`,
  'css/style.css': `body { background: url('../images/picture.png') }`,
  'main.js': `import url from './images/picture.png';
import text from './notes.txt?raw';
document.querySelector('#imported').src = url;
const { instance } = await WebAssembly.instantiateStreaming(fetch('add.wasm'));
document.title = [instance.exports.add(2, 3), text.trim()].join();`,
};

const upload3 = () => ({
  'images/picture.png': upload(createPng(30, 20), 'image/png'),
  'add.wasm': upload(addModule, 'application/wasm'),
  'notes.txt': upload(Uint8Array.from(Buffer.from('héllo\n')), 'text/plain; charset=utf-8'),
});

const size = (id: string) =>
  `[document.querySelector('#${id}').naturalWidth, document.querySelector('#${id}').naturalHeight].join()`;
const background = `getComputedStyle(document.body).backgroundImage.slice(5, -2)`;
const backgroundSize = `(async () => (await createImageBitmap(await (await fetch(${background})).blob())).width)()`;

/** Number of assets whose bytes the service worker has stored. */
const storedBytes = `(async () => {
  const caches = await Promise.all((await self.caches.keys()).map((name) => self.caches.open(name)));
  const entries = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
  return entries.filter(({ url }) => url.endsWith('?bytes')).length;
})()`;

async function expectShown(width: number): Promise<void> {
  await at.workspace.untilInResult('document.title', (title) => title === '5,héllo');
  const isRight = (found: unknown) => found === `${width},20`;
  await at.workspace.untilInResult(size('picture'), isRight);
  await at.workspace.untilInResult(size('imported'), isRight);
  await at.workspace.untilInResult(backgroundSize, (found) => found === width);
}

describe.each(bothTransports)('assets of a draft with the $transport transport', ({ isSrcdoc }) => {
  it('are used by pages, stylesheets, imports and fetch, and replaced', async () => {
    await at.workspace.run({ files, assets: upload3(), isSrcdoc });
    await expectShown(30);
    await at.workspace.edit({ 'main.js': `${files['main.js']}\ndocument.body.dataset.a = 1;` });
    await at.workspace.untilInResult('document.body.dataset.a', (a) => a === '1');
    await expectShown(30);
    const wider = upload(createPng(50, 20), 'image/png');
    await at.page.evaluate(`rig.replaceAsset('images/picture.png', ${JSON.stringify(wider)})`);
    await expectShown(50);
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('are answered as ranges, so that audio and video can be sought', async () => {
    await at.workspace.run({ files, assets: upload3(), isSrcdoc });
    await expectShown(30);
    const ask = (path: string, range: string) => `(async () => {
      const response = await fetch('${path}', { headers: { Range: '${range}' } });
      const range = response.headers.get('Content-Range');
      return [response.status, range, await response.text()].join(' | ');
    })()`;
    const answers: Record<string, string> = {
      'bytes=1-3': '206 | bytes 1-3/7 | él',
      'bytes=-3': '206 | bytes 4-6/7 | lo\n',
      'bytes=7-': '416 | bytes */7 | ',
    };
    for (const [range, answer] of Object.entries(answers))
      expect(await at.workspace.inResult(ask('notes.txt', range))).toBe(answer);
  });

  it('that fail to load are reported, and load with the next run', async () => {
    const assets = upload3();
    const { hash } = assets['add.wasm'];
    const bytes = at.rig.assets.get(hash);
    at.rig.assets.delete(hash);
    await at.workspace.start({ files, assets, isSrcdoc });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]?.message).toContain('Couldn’t load add.wasm');
    if (bytes) at.rig.assets.set(hash, bytes);
    await expectShown(30);
  });
});

describe('assets of a saved project', () => {
  const save = () => {
    const slug = `assets${at.rig.projects.size}`.padEnd(10, '0');
    const assets = upload3();
    at.rig.projects.set(slug, {
      id: slug,
      slug,
      revision: 1,
      isPrivate: false,
      files: new Map<string, ProjectFile>([
        ...toTextFiles(Object.entries(files)),
        ...Object.entries(assets),
      ]),
    });
    return { slug, assets };
  };

  it('come from the service worker after an edit, also when it was stopped', async () => {
    const { slug, assets } = save();
    const key = `edit--${slug}`;
    await at.workspace.run({ files, assets, key, served: { revision: 1 } });
    await expectShown(30);
    await at.workspace.edit({ 'main.js': `${files['main.js']}\ndocument.body.dataset.a = 1;` });
    await at.workspace.untilInResult('document.body.dataset.a', (a) => a === '1');
    await at.workspace.untilInResult(storedBytes, (count) => count === 3);
    const before = at.rig.requests.length;
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await at.page.evaluate('preview.reload()');
    await expectShown(30);
    const requested = at.rig.requests.slice(before).filter(({ url }) => url.includes('.png'));
    expect(requested).toEqual([]);
  });
});
