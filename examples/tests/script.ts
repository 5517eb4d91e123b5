import { formatDuration } from './duration';

const input = document.querySelector('input')!;
const output = document.querySelector('output')!;

input.addEventListener('input', () => {
  output.textContent = input.validity.valid ? formatDuration(input.valueAsNumber || 0) : '';
});
