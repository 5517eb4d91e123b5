/** Projects of any size: with one edited module, which accepts its own hot updates, or with pictures. */
import { randomBytes } from 'node:crypto';

/** The edited module, whose first line ends with the number that is typed. */
export const edited = 'edited.js';

const beginning = 'const n = 1\n';
const end = `document.documentElement.dataset.n = String(n);
document.querySelector('h1').dataset.state ??= String(Math.random());
import.meta.hot?.accept();
`;

/** A module with this number of lines. */
export function moduleOf(lines: number): string {
  const own = (beginning + end).split('\n').length - 1;
  return beginning + fill(lines - own, 'own') + end;
}

/**
 * A project with `count` files, all loaded by the page. All but the edited one and the page have
 * `lines` lines.
 */
export function createGrowthProject(
  count: number,
  lines: number,
  editedLines = 4,
): Map<string, string> {
  const others = Array.from({ length: count - 4 }, (_, index) => `part-${index}.js`);
  return new Map([
    [
      'index.html',
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bench</title><link rel="stylesheet" href="style.css"></head>
<body><h1>Bench 1</h1><script src="main.js" type="module"></script></body></html>`,
    ],
    ['style.css', 'body { margin: 1rem }'],
    ['main.js', [edited, ...others].map((path) => `import './${path}';\n`).join('')],
    [edited, moduleOf(editedLines)],
    ...others.map((path, index) => [path, fill(lines, `part${index}`)] as const),
  ]);
}

/** The smallest project that shows the module. */
export const smallest = createGrowthProject(4, 0);

/** A page that shows these pictures below its heading. */
export function createGallery(pictures: readonly string[]): Map<string, string> {
  const images = pictures.map((path) => `<img src="${path}" width="100" height="100" alt="">`);
  return new Map([
    [
      'index.html',
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title><link rel="stylesheet" href="style.css"></head>
<body><h1>Gallery 1</h1><main>${images.join('')}</main><script src="script.js" type="module"></script></body></html>`,
    ],
    ['style.css', 'main { display: flex; flex-wrap: wrap; gap: 8px }'],
    ['script.js', `document.querySelector('h1').dataset.state = 'run';\n`],
  ]);
}

const side = 100;
const headerBytes = 54;

/** A picture of 30 kB with random colors: a bitmap of 24 bits per pixel. */
export function createPicture(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(headerBytes + side * side * 3);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from('BM'));
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, headerBytes, true);
  // Size of the second header, then width, height, planes and bits per pixel.
  view.setUint32(14, 40, true);
  view.setInt32(18, side, true);
  view.setInt32(22, side, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  bytes.set(randomBytes(side * side * 3), headerBytes);
  return bytes;
}

function fill(lines: number, name: string): string {
  const line = (number: number) =>
    `export const ${name}_${number} = (a, b) => ({ sum: a + b, label: 'line ${number}' });\n`;
  return Array.from({ length: lines }, (_, number) => line(number)).join('');
}
