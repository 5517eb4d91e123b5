import './tally-counter.js';

const total = document.querySelector('p output');

document.addEventListener('change', () => {
  const counters = [...document.querySelectorAll('tally-counter')];
  total.textContent = counters.reduce((sum, { value }) => sum + value, 0);
});
