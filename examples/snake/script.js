const columns = 20;
const rows = 16;
const cell = 40;
const startPauseMs = 170; // between two steps; shorter with each bite
const turns = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };
const keys = { ArrowUp: 'up', ArrowRight: 'right', ArrowDown: 'down', ArrowLeft: 'left' };

const canvas = document.querySelector('canvas');
const pen = canvas.getContext('2d');
const score = document.querySelector('#score');
const message = document.querySelector('#message');

let snake; // cells from head to tail, as [column, row]
let food;
let direction;
let waiting; // turns asked for and not made yet, so that two quick keys both count
let timer;
let meals;
let isOver = false;

function reset() {
  snake = Array.from({ length: 7 }, (_, n) => [10 - n, 8]);
  snake.push([4, 9], [4, 10], [5, 10], [6, 10]);
  food = [14, 5];
  direction = 'right';
  waiting = [];
  isOver = false;
  meals = 0;
  score.textContent = meals;
}

const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];
const isSnake = (place) => snake.some((part) => isSame(part, place));

function placeFood() {
  do {
    food = [Math.floor(Math.random() * columns), Math.floor(Math.random() * rows)];
  } while (isSnake(food));
}

function step() {
  direction = waiting.shift() ?? direction;
  const [dx, dy] = turns[direction];
  const head = [snake[0][0] + dx, snake[0][1] + dy];
  const isOutside = head[0] < 0 || head[0] >= columns || head[1] < 0 || head[1] >= rows;
  const isMeal = isSame(head, food);
  if (!isMeal) snake.pop(); // the tail leaves its cell before the head comes in
  if (isOutside || isSnake(head)) return end();

  snake.unshift(head);
  if (isMeal) {
    meals += 1;
    score.textContent = meals;
    placeFood();
  }
  draw();
  timer = setTimeout(step, startPauseMs * 0.97 ** meals);
}

function end() {
  timer = undefined;
  isOver = true;
  message.textContent = `Over, with ${meals} eaten. Press an arrow to try again.`;
}

function pause() {
  if (!timer) return;
  clearTimeout(timer);
  timer = undefined;
  message.textContent = 'Paused. Press an arrow to go on.';
}

function turn(wanted) {
  if (isOver) reset();
  const last = waiting.at(-1) ?? direction;
  const isBack = turns[wanted][0] === -turns[last][0] && turns[wanted][1] === -turns[last][1];
  if (!isBack && waiting.length < 2) waiting.push(wanted);
  if (timer) return;
  message.textContent = 'Eat, and do not bite yourself.';
  step();
}

function drawCell([x, y], size) {
  const inset = (cell - size) / 2;
  pen.fillRect(x * cell + inset, y * cell + inset, size, size);
}

function draw() {
  const style = getComputedStyle(canvas);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.outlineColor;
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) drawCell([x, y], 34);
  pen.fillStyle = style.color;
  for (const part of snake) drawCell(part, 34);
  drawCell(food, 20);
}

addEventListener('keydown', (event) => {
  const wanted = keys[event.key];
  if (!wanted) return;
  event.preventDefault(); // or the page would scroll
  turn(wanted);
});

document.querySelector('.pad').addEventListener('click', ({ target }) => {
  if (target.dataset.turn) turn(target.dataset.turn);
});

// A swipe counts when the finger leaves, towards where it went furthest.
let touch;
canvas.addEventListener('pointerdown', (event) => (touch = [event.clientX, event.clientY]));
canvas.addEventListener('pointerup', (event) => {
  const dx = event.clientX - touch[0];
  const dy = event.clientY - touch[1];
  if (Math.hypot(dx, dy) < 20) return;
  if (Math.abs(dx) > Math.abs(dy)) turn(dx > 0 ? 'right' : 'left');
  else turn(dy > 0 ? 'down' : 'up');
});

addEventListener('blur', pause);
document.addEventListener('visibilitychange', () => document.hidden && pause());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

reset();
draw();
