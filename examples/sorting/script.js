import { algorithms } from './lib/algorithms.js';

const count = 64;
const container = document.querySelector('.bars');
const choice = document.querySelector('#algorithm');
const speed = document.querySelector('#speed');
const sortButton = document.querySelector('#sort');
const status = document.querySelector('p');

const bars = Array.from({ length: count }, (_, n) => {
  const element = document.createElement('i');
  const value = (((n * (n + 1)) / 2) % count) / (count - 1); // each number once, always in this mix
  element.style.setProperty('--value', value);
  return { element, value };
});

// Where a bar stands is the order among its flex siblings; the elements stay as they are.
function place(n) {
  bars[n].element.style.order = n;
}

// Fast runs take several steps between two frames; slow ones wait several frames a step.
let credit = 0;
async function rest() {
  credit -= 1;
  while (credit < 0) {
    await new Promise(requestAnimationFrame); // does not come while the page is hidden
    credit += (speed.value / 60) ** 3;
  }
}

// What an algorithm may do to the bars. Stopping makes its next action throw.
function makeField(signal) {
  const field = { length: count, comparisons: 0, swaps: 0 };

  async function act(a, b) {
    signal.throwIfAborted();
    const elements = [bars[a].element, bars[b].element];
    for (const element of elements) element.classList.add('active');
    status.textContent = `${field.comparisons} comparisons, ${field.swaps} swaps`;
    await rest();
    for (const element of elements) element.classList.remove('active');
  }

  field.isLess = async (a, b) => {
    field.comparisons += 1;
    await act(a, b);
    return bars[a].value < bars[b].value;
  };

  field.swap = async (a, b) => {
    field.swaps += 1;
    [bars[a], bars[b]] = [bars[b], bars[a]];
    place(a);
    place(b);
    await act(a, b);
  };
  return field;
}

let run; // the AbortController of the sorting under way

async function sort() {
  run = new AbortController();
  const { signal } = run;
  sortButton.textContent = 'Stop';
  try {
    await algorithms[choice.value](makeField(signal));
    status.textContent += ': sorted.';
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
  if (run?.signal === signal) stop();
}

function stop() {
  run?.abort();
  run = undefined;
  sortButton.textContent = 'Sort';
}

function shuffle() {
  stop();
  for (let n = count - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [bars[n], bars[other]] = [bars[other], bars[n]];
  }
  status.textContent = `${count} bars in no order.`;
  bars.forEach((_, n) => place(n));
}

choice.append(...Object.keys(algorithms).map((name) => new Option(name)));
sortButton.addEventListener('click', () => (run ? stop() : sort()));
document.querySelector('#shuffle').addEventListener('click', shuffle);
choice.addEventListener('change', stop);
container.append(...bars.map((bar) => bar.element));
