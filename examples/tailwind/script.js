const button = document.querySelector('button');
const output = document.querySelector('output');
let count = 0;

button.addEventListener('click', () => {
  count += 1;
  output.textContent = count;
});
