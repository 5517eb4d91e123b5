import raw from './style.css?raw';
import css from './style.scss?inline';
import url from './code.ts?url';
import image from './dot.svg?inline';
import plain from './dot.svg?no-inline';
import styles from './card.module.css';

const style = document.createElement('style');
style.textContent = css;
document.head.append(style);
const paragraph = document.querySelector('p')!;
paragraph.className = styles.card!;
const { value } = await import(/* @vite-ignore */ url);
paragraph.textContent = [raw.trim(), value, image.slice(0, 19), (await fetch(plain)).ok].join(' ');
