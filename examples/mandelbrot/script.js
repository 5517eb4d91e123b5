const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const status = document.querySelector('[role="status"]');
const dark = matchMedia('(prefers-color-scheme: dark)');
const home = { x: -0.7435, y: 0.1315, span: 0.012 }; // span: how wide the picture is
const whole = { x: -0.6, y: 0, span: 4 };

let view = home;
let worker;
let job = 0;

// A worker in the middle of a picture does not listen; a new one costs less than waiting.
function compute() {
  worker?.terminate();
  worker = new Worker('worker.js');
  worker.onmessage = showBand;
  worker.onerror = () => (status.textContent = 'The worker could not start here.');
  job += 1;
  status.textContent = 'Computing…';
  const { width, height } = canvas;
  const scale = view.span / Math.max(width, height);
  worker.postMessage({ job, width, height, x: view.x, y: view.y, scale, isDark: dark.matches });
}

function showBand({ data }) {
  if (data.job !== job) return; // still on its way from the worker before
  pen.putImageData(data.image, 0, data.top);
  if (data.isLast)
    status.textContent = `Enlarged ${Math.round(4 / view.span).toLocaleString('en')}×`;
}

// Until the new picture comes, the old one is moved and stretched to where it belongs.
function travel(next) {
  const ratio = view.span / next.span;
  const pixels = Math.max(canvas.width, canvas.height) / next.span;
  const { width, height } = canvas;
  const left = width / 2 - (width / 2) * ratio + (view.x - next.x) * pixels;
  const top = height / 2 - (height / 2) * ratio + (view.y - next.y) * pixels;
  const old = new OffscreenCanvas(width, height);
  old.getContext('2d').drawImage(canvas, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.drawImage(old, left, top, width * ratio, height * ratio);
  view = next;
  compute();
}

const zoom = (factor) => travel({ ...view, span: Math.min(view.span / factor, 8) });
const actions = { in: () => zoom(2), out: () => zoom(0.5), reset: () => travel(whole) };

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', actions[button.dataset.action]);
}

canvas.addEventListener('click', (event) => {
  const unit = view.span / Math.max(canvas.clientWidth, canvas.clientHeight);
  const x = view.x + (event.offsetX - canvas.clientWidth / 2) * unit;
  const y = view.y + (event.offsetY - canvas.clientHeight / 2) * unit;
  travel({ x, y, span: view.span / 3 });
});

addEventListener('keydown', ({ key }) => {
  const part = view.span / 8;
  const moves = {
    ArrowLeft: [-part, 0],
    ArrowRight: [part, 0],
    ArrowUp: [0, -part],
    ArrowDown: [0, part],
  };
  if (moves[key]) travel({ ...view, x: view.x + moves[key][0], y: view.y + moves[key][1] });
  if (key === '+') zoom(2);
  if (key === '-') zoom(0.5);
});

function fit() {
  canvas.width = innerWidth * devicePixelRatio;
  canvas.height = innerHeight * devicePixelRatio;
  compute();
}

addEventListener('resize', fit);
dark.addEventListener('change', compute);
fit();
