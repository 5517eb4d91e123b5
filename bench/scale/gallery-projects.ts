/** The projects of the gallery's cards, the same on both sides. */

export const cards = 200;
export const columns = 4;

/** The slug of a card's project: ten letters and digits. */
export function getCardSlug(card: number): string {
  return `gallery${String(card).padStart(3, '0')}`;
}

/** A typical small page: markup, a stylesheet, and a script that draws and updates a clock. */
export function filesOf(card: number): Map<string, string> {
  return new Map([
    [
      'index.html',
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Project ${card}</title><link rel="stylesheet" href="style.css"></head>
<body><h1>Project ${card}</h1><canvas width="300" height="120"></canvas><p></p><script src="script.js"></script></body></html>`,
    ],
    [
      'style.css',
      `body { margin: 1rem; font-family: sans-serif; background: hsl(${card * 7} 60% 92%) } canvas { width: 100% }`,
    ],
    [
      'script.js',
      `const pen = document.querySelector('canvas').getContext('2d');
pen.beginPath();
for (let x = 0; x < 300; x++) pen.lineTo(x, 60 + 50 * Math.sin(x / ${10 + card}));
pen.stroke();
const tell = () => { document.querySelector('p').textContent = new Date().toLocaleTimeString('en'); };
tell();
setInterval(tell, 1000);`,
    ],
  ]);
}
