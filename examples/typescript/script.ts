const button = find('button');
const output = find('output');
let count = 0;

button.addEventListener('click', () => {
  count += 1;
  output.value = String(count);
});

function find<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  const element = document.querySelector(name);
  if (!element) throw new Error(`The page has no ${name}.`);
  return element;
}
