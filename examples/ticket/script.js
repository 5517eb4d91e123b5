const form = document.querySelector('form');
const done = document.querySelector('.done');
const inputs = form.querySelectorAll('.field input');

// The browser checks; we say it in our own words. Without this script it would still check.
form.noValidate = true;

const sentences = {
  name: 'Tell us whom to wake, in at least two letters.',
  email: 'Not yet an address, like you@example.org.',
  code: 'Two capital letters, a hyphen, four digits.',
};

function showProblem(input) {
  const problem = document.querySelector(`#${input.id}-problem`);
  const isWrong = !input.validity.valid;
  input.setAttribute('aria-invalid', isWrong);
  problem.textContent = isWrong ? sentences[input.name] : '';
}

for (const input of inputs) {
  input.setAttribute('aria-describedby', `${input.id}-problem`);
  // Complain only once someone has finished a field, then help with every key press.
  input.addEventListener('blur', () => input.value && showProblem(input));
  input.addEventListener('input', () => input.ariaInvalid === 'true' && showProblem(input));
}

form.addEventListener('input', () => {
  done.textContent = '';
  for (const element of document.querySelectorAll('[data-shows]')) {
    element.textContent = form.elements[element.dataset.shows].value || '—';
  }
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  inputs.forEach(showProblem);
  const wrong = form.querySelector('[aria-invalid="true"]');
  if (wrong) wrong.focus();
  else done.textContent = 'Booked. Sleep well.';
});
