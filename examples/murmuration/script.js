import { startFlock, moveFlock } from './lib/flock.js';

const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const button = document.querySelector('button');
const sliders = document.querySelectorAll('input');
const flock = startFlock(380);

const hawk = { x: 0, y: 0, near: false };
let playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;

// { apart: 0.55, alike: 0.5, close: 0.35 }
function readRules() {
  return Object.fromEntries([...sliders].map((slider) => [slider.id, slider.value / 100]));
}

function fit() {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  draw();
}

// The world keeps its area, whatever the window's shape: birds are as large on any screen.
function measure() {
  const scale = Math.sqrt((canvas.width * canvas.height) / (1000 * 620));
  return { scale, width: canvas.width / scale, height: canvas.height / scale };
}

// Each bird is two short strokes, like the ones children draw.
function draw() {
  const { scale, width, height } = measure();
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.strokeStyle = getComputedStyle(canvas).color;
  pen.lineCap = 'round';
  for (const bird of flock) {
    const wing = (1.5 + bird.depth) * Math.hypot(bird.vx, bird.vy);
    const angle = Math.atan2(bird.vy, bird.vx);
    pen.lineWidth = 0.9 + bird.depth;
    pen.beginPath();
    pen.moveTo(bird.x + wing * Math.cos(angle + 2.5), bird.y + wing * Math.sin(angle + 2.5));
    pen.lineTo(bird.x, bird.y);
    pen.lineTo(bird.x + wing * Math.cos(angle - 2.5), bird.y + wing * Math.sin(angle - 2.5));
    pen.stroke();
  }
}

function step() {
  moveFlock(flock, readRules(), measure(), hawk);
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
  const { width, height } = measure();
  hawk.x = (event.offsetX / canvas.clientWidth) * width;
  hawk.y = (event.offsetY / canvas.clientHeight) * height;
  hawk.near = true;
});
for (const type of ['pointerleave', 'pointerup']) {
  canvas.addEventListener(type, () => (hawk.near = false));
}
addEventListener('resize', fit);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

fit();
for (let n = 0; n < 140; n++) step(); // let a flock form before anyone looks
draw();
button.textContent = playing ? 'Pause' : 'Play';
play();
