/** Projects of any size with one edited module, which accepts its own hot updates. */

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

function fill(lines: number, name: string): string {
  const line = (number: number) =>
    `export const ${name}_${number} = (a, b) => ({ sum: a + b, label: 'line ${number}' });\n`;
  return Array.from({ length: lines }, (_, number) => line(number)).join('');
}
