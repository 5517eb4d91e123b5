import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { textsOf } from './rig/lines.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const page = (body: string) =>
  `<!doctype html><html><head><title>Shop</title></head><body>\n${body}\n</body></html>`;

/** Log entries as "REALM PATH:LINE TEXT", sorted, because realms run in parallel. */
async function heard(files: Record<string, string>, count: number, isSrcdoc = false) {
  await at.workspace.run({ files, isSrcdoc });
  const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length >= count, `${count}`);
  return lines
    .map((line) => `${line.realm ?? 'page'} ${line.path}:${line.line} ${textsOf([line]).join()}`)
    .toSorted();
}

describe('frames and workers of a page', () => {
  it('reports log entries and uncaught errors of frames', async () => {
    const files = {
      'index.html': page(`<iframe srcdoc="<script>console.log('from srcdoc')</script>"></iframe>
<iframe src="child.html"></iframe>
<script>
const blank = document.createElement('iframe');
document.body.append(blank);
blank.contentWindow.console.log('from blank');
const blob = document.createElement('iframe');
blob.src = URL.createObjectURL(new Blob(["<script>console.log('from blob')</" + "script>"], { type: 'text/html' }));
document.body.append(blob);
</script>`),
      'child.html': page(`<script>
console.log('from child', { a: 1 });
setTimeout(() => { throw new Error('child broke'); });
</script>`),
    };
    expect(await heard(files, 5)).toEqual([
      'frame about:blank index.html:7 from blank',
      expect.stringMatching(/^frame about:srcdoc .*from srcdoc$/),
      expect.stringMatching(/^frame blob: .*from blob$/),
      'frame child.html child.html:3 from child Object{…}',
      'frame child.html child.html:4 Uncaught Error: child broke',
    ]);
    const { problems } = await at.workspace.seen();
    expect(problems).toMatchObject([{ path: 'child.html', line: 4 }]);
  });

  it('reports log entries and uncaught errors of all kinds of workers', async () => {
    const files = {
      'index.html': page('<script src="main.js"></script>'),
      'main.js': `new Worker('classic.js').postMessage(20);
new Worker('module.ts', { type: 'module' });
new Worker('bare.js', { type: 'module' }).postMessage(1);
new SharedWorker('shared.js');
new Worker(URL.createObjectURL(new Blob(["console.log('from blob')"])));`,
      'classic.js': `'use strict'; importScripts('lib/sum.js');
console.log('from classic', sumTo(4));
onmessage = ({ data }) => {
  console.log('asked for', { n: data });
  setTimeout(() => { nothingLikeThis(); });
};`,
      'lib/sum.js': 'function sumTo(n) { return n * (n + 1) / 2; }',
      'module.ts': `import { word } from './lib/word.ts';
interface Said { word: string }
const said: Said = { word };
console.log(said.word);
Promise.reject(new Error('rejected'));`,
      'lib/word.ts': `console.log('from the import'); export const word: string = 'from module';`,
      'bare.js': `onmessage = () => console.log('from bare');`,
      'shared.js': `console.log('from shared');`,
    };
    expect(await heard(files, 9)).toEqual([
      'page classic.js:5 Uncaught ReferenceError: nothingLikeThis is not defined',
      'shared worker shared.js shared.js:1 from shared',
      'worker bare.js bare.js:1 from bare',
      'worker blob: :0 from blob',
      'worker classic.js classic.js:2 from classic 10',
      'worker classic.js classic.js:4 asked for Object{…}',
      'worker module.ts lib/word.ts:1 from the import',
      'worker module.ts module.ts:4 from module',
      'worker module.ts module.ts:5 Uncaught (in a promise) Error: rejected',
    ]);
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
    expect(problems.map(({ path, line }) => `${path}:${line}`).toSorted()).toEqual([
      'classic.js:5',
      'module.ts:5',
    ]);
  });

  it('leaves messages between a page and its workers unchanged', async () => {
    const files = {
      'index.html': page(`<script>
const worker = new Worker('echo.js');
const got = [];
worker.addEventListener('message', ({ data }) => {
  got.push(data);
  document.title = got.join();
});
worker.postMessage('one');
</script>`),
      'echo.js': `console.log('ready'); onmessage = ({ data }) => { console.log(data); postMessage(data); postMessage('two'); };`,
    };
    await at.workspace.run({ files });
    await at.workspace.untilInResult('document.title', (title) => title === 'one,two');
  });

  it('expands objects that a page in a frame has logged', async () => {
    const files = {
      'index.html': page('<iframe src="child.html"></iframe>'),
      'child.html': page('<script>console.log(Array.from({ length: 150 }, (_, i) => i))</script>'),
    };
    await at.workspace.run({ files });
    const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length > 0);
    const [list] = lines[0]?.values ?? [];
    const handle = list && 'handle' in list ? list.handle : 0;
    const question = JSON.stringify({ kind: 'open', handle, from: 149 });
    const answer = await at.page.evaluate(
      `preview.console.query(${question}, rig.seen.document).then(JSON.stringify)`,
    );
    expect(JSON.parse(String(answer))).toMatchObject({ members: [{ value: { text: '149' } }] });
  });
});

describe.each(bothTransports)(
  'a worker created from a blob, with the $transport transport',
  ({ isSrcdoc }) => {
    it('is observed', async () => {
      const main = `new Worker(URL.createObjectURL(new Blob(["console.log('from blob')"])));`;
      expect(await heard({ 'index.html': page(`<script>${main}</script>`) }, 1, isSrcdoc)).toEqual([
        'worker blob: :0 from blob',
      ]);
    });

    // Opaque-origin documents can't create shared workers from blobs.
    it.skipIf(isSrcdoc)('is shared by all its pages', async () => {
      const code = 'let count = 0; onconnect = ({ ports: [port] }) => port.postMessage(++count);';
      const main = `const url = URL.createObjectURL(new Blob([${JSON.stringify(code)}]));
const count = () => new Promise((resolve) => {
  new SharedWorker(url).port.onmessage = ({ data }) => resolve(data);
});
count().then(count).then((last) => console.log('connected', last));`;
      expect(await heard({ 'index.html': page(`<script>${main}</script>`) }, 1, isSrcdoc)).toEqual([
        expect.stringMatching(/ connected 2$/),
      ]);
    });
  },
);
