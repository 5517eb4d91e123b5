import styles from './lamp.module.css';

/** A lamp, and how to turn it. The room takes its light from `--light`. */
export function makeLamp() {
  const element = document.createElement('div');
  element.className = styles.root;
  element.innerHTML = `<i class="${styles.cord}"></i><i class="${styles.shade}"></i><i class="${styles.bulb}"></i><i class="${styles.cone}"></i>`;
  let isOn = true;
  let brightness = 1;
  const show = () => document.body.style.setProperty('--light', isOn ? brightness : 0);
  return {
    element,
    setOn(next) {
      isOn = next;
      show();
    },
    setBrightness(next) {
      brightness = next;
      show();
    },
  };
}
