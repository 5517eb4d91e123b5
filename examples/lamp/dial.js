import { input, label as labelClass, root as rootClass } from './dial.module.css';

/** A range from nothing to all. */
export function makeDial({ label, value, onChange }) {
  const root = document.createElement('label');
  root.className = rootClass;
  root.innerHTML = `<span class="${labelClass}"></span><input type="range" class="${input}" />`;
  root.firstChild.textContent = label;
  const range = root.lastChild;
  range.value = value;
  range.addEventListener('input', () => onChange(range.valueAsNumber / 100));
  onChange(value / 100);
  return root;
}
