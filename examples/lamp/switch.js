import styles from './switch.module.css';

/** A checkbox that looks like a switch. */
export function makeSwitch({ label, isOn, onChange }) {
  const root = document.createElement('label');
  root.className = styles.root;
  root.innerHTML = `<span class="${styles.label}"></span><input type="checkbox" role="switch" class="${styles.input}" />`;
  root.firstChild.textContent = label;
  const input = root.lastChild;
  input.checked = isOn;
  input.addEventListener('change', () => onChange(input.checked));
  onChange(isOn);
  return root;
}
