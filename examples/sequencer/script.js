import { sounds } from './lib/sounds.js';

// One line a track, one character a step: x sounds, a dot is silent.
const pattern = {
  hat: 'x.x.x.x.x.x.x.xx',
  snare: '....x.......x..x',
  kick: 'x......x..x.....',
  high: '...x.......x....',
  mid: 'x.....x.......x.',
  low: 'x...x...x..x....',
};

const tracks = document.querySelector('#tracks');
const tempo = document.querySelector('#tempo');
const playButton = document.querySelector('#play');
const names = Object.keys(pattern);

function makePad(name, step, pressed) {
  const pad = document.createElement('button');
  pad.type = 'button';
  pad.className = 'pad';
  pad.tabIndex = -1;
  pad.setAttribute('aria-pressed', pressed);
  pad.setAttribute('aria-label', `${name}, step ${step + 1}`);
  return pad;
}

const pads = names.map((name, number) => {
  const row = document.createElement('section');
  row.className = 'track';
  row.style.setProperty('--row', number); // its color, see style.css
  const title = document.createElement('h2');
  title.textContent = name[0].toUpperCase() + name.slice(1);
  const steps = [...pattern[name]].map((sign, step) => makePad(name, step, sign === 'x'));
  row.append(title, ...steps);
  tracks.append(row);
  return steps;
});
pads[0][0].tabIndex = 0; // Tab reaches the grid once; the arrow keys do the rest

function set(pad, isOn) {
  pad.setAttribute('aria-pressed', isOn);
}

function isOn(pad) {
  return pad.getAttribute('aria-pressed') === 'true';
}

tracks.addEventListener('click', ({ target }) => {
  if (target.matches('.pad')) set(target, !isOn(target));
});

tracks.addEventListener('keydown', (event) => {
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const move = moves[event.key];
  const row = pads.findIndex((steps) => steps.includes(event.target));
  if (!move || row < 0) return;
  event.preventDefault();
  const step = pads[row].indexOf(event.target);
  const next = pads[(row + move[0] + pads.length) % pads.length][(step + move[1] + 16) % 16];
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});

document.querySelector('#clear').addEventListener('click', () => {
  for (const pad of pads.flat()) set(pad, false);
});

tempo.addEventListener('input', () => {
  document.querySelector('output').textContent = tempo.value;
});

// A timer is too rough to keep time. It only looks ahead, ten times a second, and hands the
// sounds of the next moments to the audio clock, which is exact.
let audio;
let timer;
let step = 0;
let nextTime = 0;

function schedule() {
  while (nextTime < audio.currentTime + 0.25) {
    names.forEach((name, row) => {
      if (isOn(pads[row][step])) sounds[name](audio, nextTime);
    });
    const shown = step;
    setTimeout(() => timer && light(shown), (nextTime - audio.currentTime) * 1000);
    nextTime += 60 / tempo.value / 4;
    step = (step + 1) % 16;
  }
}

function light(shown) {
  for (const steps of pads) steps.forEach((pad, n) => pad.classList.toggle('now', n === shown));
}

function play() {
  audio ??= new AudioContext(); // allowed only after a click, so not before
  audio.resume();
  step = 0;
  nextTime = audio.currentTime + 0.05;
  timer = setInterval(schedule, 100);
}

function stop() {
  clearInterval(timer);
  timer = undefined;
  audio.suspend();
  light(-1);
}

playButton.addEventListener('click', () => {
  if (timer) stop();
  else play();
  playButton.textContent = timer ? 'Stop' : 'Play';
  playButton.setAttribute('aria-pressed', Boolean(timer));
});

document.addEventListener('visibilitychange', () => {
  if (document.hidden && timer) playButton.click();
});
