import { startFlock, moveFlock } from './lib/flock.js';

const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const button = document.querySelector('button');
const sliders = document.querySelectorAll('input');
const flock = startFlock(260);

const hawk = { x: 0, y: 0, near: false };
let playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;

// { apart: 0.55, alike: 0.6, close: 0.45 }
function readRules() {
  return Object.fromEntries([...sliders].map((slider) => [slider.id, slider.value / 100]));
}

function fit() {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  draw();
}

// Birds live in a world 1000 wide; each is a short stroke along the way it flies.
function draw() {
  const scale = canvas.width / 1000;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, 1000, canvas.height / scale);
  pen.strokeStyle = getComputedStyle(canvas).color;
  pen.lineCap = 'round';
  for (const bird of flock) {
    const wing = 2.6 * Math.hypot(bird.vx, bird.vy);
    const angle = Math.atan2(bird.vy, bird.vx);
    pen.lineWidth = 1.4 + bird.depth * 1.6;
    pen.beginPath();
    pen.moveTo(bird.x + wing * Math.cos(angle + 2.5), bird.y + wing * Math.sin(angle + 2.5));
    pen.lineTo(bird.x, bird.y);
    pen.lineTo(bird.x + wing * Math.cos(angle - 2.5), bird.y + wing * Math.sin(angle - 2.5));
    pen.stroke();
  }
}

function step() {
  const height = (1000 * canvas.height) / canvas.width;
  moveFlock(flock, readRules(), { width: 1000, height }, hawk);
}

// The browser calls this once a frame, and not at all while the page is hidden.
function play() {
  if (!playing) return;
  step();
  draw();
  requestAnimationFrame(play);
}

button.addEventListener('click', () => {
  playing = !playing;
  button.textContent = playing ? 'Pause' : 'Play';
  play();
});

canvas.addEventListener('pointermove', (event) => {
  hawk.x = (event.offsetX / canvas.clientWidth) * 1000;
  hawk.y = (event.offsetY / canvas.clientWidth) * 1000;
  hawk.near = true;
});
for (const type of ['pointerleave', 'pointerup']) {
  canvas.addEventListener(type, () => (hawk.near = false));
}
addEventListener('resize', fit);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

fit();
for (let n = 0; n < 150; n++) step(); // let a flock form before anyone looks
draw();
button.textContent = playing ? 'Pause' : 'Play';
play();
