import { toRoman } from './roman';

const input = document.querySelector('input');
const output = document.querySelector('output');

function show(): void {
  if (!input || !output) return;
  try {
    output.value = toRoman(input.valueAsNumber);
  } catch {
    // While one is typing there may be nothing to show.
    output.value = '–';
  }
}

input?.addEventListener('input', show);
show();
