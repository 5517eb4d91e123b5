import { createWorld, indexOf, nextGeneration, stamp } from './lib/world.js';

const fineness = 54; // about so many cells fit across the window
const pauseMs = 90; // between generations
const oldest = 24; // an age from which colors stay the same

// A quarter of the first pattern. Mirrored twice, it stays symmetrical until someone draws in it.
const quarter = [
  '##....#..',
  '.#..##...',
  '.#......#',
  '##.#.#..#',
  '#..#.....',
  '#.#..#...',
  '..#..#..#',
  '..#.#..##',
  '...#..#.#',
];
const half = quarter.map((row) => [...row].reverse().join('') + row);
const start = [...half.toReversed(), ...half];

const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const playButton = document.querySelector('#play');
const dark = matchMedia('(prefers-color-scheme: dark)');

let world;
let size; // of a cell, in pixels
let generation = 0;
let isPlaying = false;
let cursor; // the cell that the arrow keys are on, while the canvas has the focus

// The living go from green to violet as they get older; the dead leave a trace that fades.
function colorOf(age) {
  if (age < 0) return `oklch(0.7 0.1 165 / ${0.3 * (1 + age / oldest)})`;
  const part = age / oldest;
  const lightness = dark.matches ? 0.88 - part * 0.25 : 0.62 - part * 0.12;
  return `oklch(${lightness} 0.17 ${165 + part * 150})`;
}
let colors; // by age, from -oldest to oldest

function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  world.ages.forEach((age, at) => {
    if (age === 0 || age < -oldest) return;
    pen.fillStyle = colors.get(Math.min(age, oldest));
    pen.beginPath();
    const x = (at % world.columns) * size;
    const y = Math.floor(at / world.columns) * size;
    pen.roundRect(x + 1, y + 1, size - 2, size - 2, size * 0.35);
    pen.fill();
  });
  if (cursor) {
    pen.strokeStyle = colors.get(oldest);
    pen.lineWidth = 2;
    pen.strokeRect(cursor.x * size, cursor.y * size, size, size);
  }
  document.querySelector('output').textContent = generation;
}

function chooseColors() {
  colors = new Map();
  for (let age = -oldest; age <= oldest; age++) colors.set(age, colorOf(age));
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
  stroke ??= world.ages[at] > 0 ? 0 : 1;
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
    world.ages[at] = world.ages[at] > 0 ? 0 : 1;
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
  size = Math.max(6, Math.round(Math.sqrt(innerWidth * innerHeight) / fineness));
  world = createWorld(Math.ceil(innerWidth / size), Math.ceil(innerHeight / size));
  stamp(world, start, world.columns >> 1, world.rows >> 1);
  generation = 0;
  while (generation < 60) step();
  draw();
}

chooseColors();
begin();
addEventListener('resize', begin);
dark.addEventListener('change', () => {
  chooseColors();
  draw();
});
