import { createWorld, indexOf, nextGeneration, stamp } from './lib/world.js';

const size = 12; // of a cell, in pixels
const pauseMs = 90; // between generations
const start = ['.##', '##.', '.#.']; // five cells that stay busy for 1,103 generations

const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const playButton = document.querySelector('#play');
const dark = matchMedia('(prefers-color-scheme: dark)');

let world;
let generation = 0;
let isPlaying = false;
let cursor; // the cell that the arrow keys are on, while the canvas has the focus

// Newborn cells are bright, old ones go from green to violet.
function colourOf(age) {
  const years = Math.min(age, 40) / 40;
  const lightness = dark.matches ? 0.88 - years * 0.3 : 0.62 - years * 0.14;
  return `oklch(${lightness} 0.16 ${165 + years * 150})`;
}
let colours;

function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  world.ages.forEach((age, at) => {
    if (!age) return;
    pen.fillStyle = colours[Math.min(age, 40)];
    pen.beginPath();
    const x = (at % world.columns) * size;
    const y = Math.floor(at / world.columns) * size;
    pen.roundRect(x + 1, y + 1, size - 2, size - 2, 4);
    pen.fill();
  });
  if (cursor) {
    pen.strokeStyle = colours[40];
    pen.lineWidth = 2;
    pen.strokeRect(cursor.x * size, cursor.y * size, size, size);
  }
  document.querySelector('output').textContent = generation;
}

function chooseColours() {
  colours = Array.from({ length: 41 }, (_, age) => colourOf(age));
}

function step() {
  world = nextGeneration(world);
  generation += 1;
}

let last = 0;
function play(now) {
  if (!isPlaying) return;
  if (now - last >= pauseMs) {
    last = now;
    step();
    draw();
  }
  requestAnimationFrame(play); // rests by itself while the page is hidden
}

function setPlaying(wanted) {
  isPlaying = wanted;
  playButton.textContent = isPlaying ? 'Pause' : 'Play';
  if (isPlaying) requestAnimationFrame(play);
}

playButton.addEventListener('click', () => setPlaying(!isPlaying));

document.querySelector('#step').addEventListener('click', () => {
  setPlaying(false);
  step();
  draw();
});

document.querySelector('#clear').addEventListener('click', () => {
  world.ages.fill(0);
  generation = 0;
  draw();
});

// The first cell touched decides whether this stroke gives life or takes it.
let stroke;
function paint(event) {
  const at = indexOf(world, Math.floor(event.offsetX / size), Math.floor(event.offsetY / size));
  stroke ??= world.ages[at] ? 0 : 1;
  world.ages[at] = stroke;
  draw();
}

canvas.addEventListener('pointerdown', (event) => {
  canvas.setPointerCapture(event.pointerId);
  paint(event);
});
canvas.addEventListener('pointermove', (event) => {
  if (stroke !== undefined) paint(event);
});
canvas.addEventListener('lostpointercapture', () => (stroke = undefined));

canvas.addEventListener('keydown', (event) => {
  const moves = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const move = moves[event.key];
  if (!move && event.key !== 'Enter') return;
  event.preventDefault();
  cursor ??= { x: world.columns >> 1, y: world.rows >> 1 };
  if (move) {
    cursor.x = (cursor.x + move[0] + world.columns) % world.columns;
    cursor.y = (cursor.y + move[1] + world.rows) % world.rows;
  } else {
    const at = indexOf(world, cursor.x, cursor.y);
    world.ages[at] = world.ages[at] ? 0 : 1;
  }
  draw();
});
canvas.addEventListener('blur', () => {
  cursor = undefined;
  draw();
});

function fit() {
  canvas.width = innerWidth * devicePixelRatio;
  canvas.height = innerHeight * devicePixelRatio;
  pen.scale(devicePixelRatio, devicePixelRatio);
}

// A new size of the window is a new dish, already some generations old.
function begin() {
  fit();
  world = createWorld(Math.ceil(innerWidth / size), Math.ceil(innerHeight / size));
  stamp(world, start, world.columns >> 1, world.rows >> 1);
  generation = 0;
  while (generation < 140) step();
  draw();
}

chooseColours();
begin();
addEventListener('resize', begin);
dark.addEventListener('change', () => {
  chooseColours();
  draw();
});
