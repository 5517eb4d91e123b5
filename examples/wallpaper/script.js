const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const dark = matchMedia('(prefers-color-scheme: dark)');

// The first color of each is the paper in light mode; in dark mode the last one is.
const palettes = [
  ['#f4f0e6', '#e5482d', '#f6b53c', '#2f6f8f', '#1d2433'],
  ['#f7ede2', '#f28482', '#84a59d', '#f6bd60', '#2b2d42'],
  ['#eef1e6', '#3d7a5b', '#e9b44c', '#d65a31', '#17252a'],
  ['#f3eef8', '#7353ba', '#ef798a', '#f7c59f', '#1b1a2e'],
];

// Starts where the address says (…#12), so that a picture can be shared.
let seed = Number(location.hash.slice(1)) || 12;

// The same seed gives the same numbers between 0 and 1, on every machine.
function startRandom(start) {
  let state = Math.imul(start, 0x9e3779b1) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function circle(x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, Math.PI * 2);
  pen.fill();
}

// Each motif draws on a tile from 0,0 to 1,1; a circle around a corner shows a quarter of itself.
const motifs = [
  () => circle(0, 0, 1),
  (second) => {
    circle(0, 0, 1);
    pen.fillStyle = second;
    circle(0, 0, 0.5);
  },
  () => {
    circle(0, 0.5, 0.5);
    circle(1, 0.5, 0.5);
  },
  (second) => {
    circle(0, 0, 0.5);
    pen.fillStyle = second;
    circle(1, 1, 0.5);
  },
  () => {
    // A leaf: the part that two circles share.
    pen.beginPath();
    pen.arc(0, 1, 1, -Math.PI / 2, 0);
    pen.arc(1, 0, 1, Math.PI / 2, Math.PI);
    pen.fill();
  },
  () => circle(0.5, 0.5, 0.34),
];

function drawTile(x, y, size, random, colors) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const ground = random() < 0.55 ? colors[0] : pick(colors);
  const first = pick(colors.filter((color) => color !== ground));
  const second = pick(colors.filter((color) => color !== ground && color !== first));

  pen.save();
  pen.beginPath();
  pen.rect(x * size, y * size, size, size);
  pen.clip();
  pen.fillStyle = ground;
  pen.fill();

  // Turn the tile about its middle by a quarter, a half, three quarters, or not at all.
  pen.translate((x + 0.5) * size, (y + 0.5) * size);
  pen.rotate((Math.floor(random() * 4) * Math.PI) / 2);
  pen.scale(size, size);
  pen.translate(-0.5, -0.5);
  pen.fillStyle = first;
  pick(motifs)(second);
  pen.restore();
}

function draw() {
  const random = startRandom(seed);
  const palette = palettes[Math.floor(random() * palettes.length)];
  const colors = dark.matches ? palette.toReversed() : palette;

  canvas.width = innerWidth * devicePixelRatio;
  canvas.height = innerHeight * devicePixelRatio;
  const columns = innerWidth < 500 ? 5 : 10;
  const size = canvas.width / columns;
  for (let y = 0; y * size < canvas.height; y++) {
    for (let x = 0; x < columns; x++) drawTile(x, y, size, random, colors);
  }
  document.querySelector('output').textContent = `No. ${seed}`;
}

function drawAnother() {
  seed += 1;
  history.replaceState(null, '', `#${seed}`);
  draw();
}

function save() {
  const link = document.createElement('a');
  link.download = `quarter-circles-${seed}.png`;
  link.href = canvas.toDataURL();
  link.click();
}

canvas.addEventListener('click', drawAnother);
document.querySelector('#another').addEventListener('click', drawAnother);
document.querySelector('#save').addEventListener('click', save);
dark.addEventListener('change', draw);
addEventListener('resize', draw);
draw();
