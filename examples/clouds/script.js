// Both pages load this file; only the guide has something to filter.
const choices = document.querySelectorAll('input[name="height"]');
const cards = document.querySelectorAll('[data-height]');

function show(height) {
  for (const card of cards) {
    card.hidden = height !== 'all' && card.dataset.height !== height;
  }
}

for (const choice of choices) {
  choice.addEventListener('change', () => show(choice.value));
}
