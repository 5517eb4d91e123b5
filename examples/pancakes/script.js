/** What one person eats. */
const ingredients = [
  { name: 'flour', amount: 60, unit: 'g' },
  { name: 'milk', amount: 125, unit: 'ml' },
  { name: 'eggs', amount: 0.75, unit: '' },
  { name: 'butter', amount: 10, unit: 'g' },
  { name: 'salt', amount: 0.25, unit: 'pinch' },
];

const output = document.querySelector('output');
const list = document.querySelector('ul');
let people = 4;

for (const button of document.querySelectorAll('[data-step]'))
  button.addEventListener('click', () => {
    people = Math.min(24, Math.max(1, people + Number(button.dataset.step)));
    show();
  });
show();

function show() {
  output.value = people;
  list.replaceChildren(...ingredients.map(makeRow));
}

function makeRow({ name, amount, unit }) {
  const row = document.createElement('li');
  row.className = 'flex justify-between py-2 tabular-nums';
  const [left, right] = [document.createElement('span'), document.createElement('span')];
  left.textContent = name;
  right.textContent = `${describe(amount * people)} ${unit}`;
  right.className = 'font-medium text-crust';
  row.append(left, right);
  return row;
}

/** 3.25 → "3 ¼"; what is weighed is rounded to five. */
function describe(amount) {
  if (amount >= 30) return String(Math.round(amount / 5) * 5);
  const whole = Math.floor(amount);
  const part = ['', '¼', '½', '¾'][Math.round((amount - whole) * 4) % 4];
  return [whole || '', part].filter(Boolean).join(' ') || '¼';
}
