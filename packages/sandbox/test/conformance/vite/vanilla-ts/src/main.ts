import './style.css';
import typescriptLogo from './typescript.svg';
import viteLogo from '/vite.svg';
import { setupCounter } from './counter.ts';

document.querySelector<HTMLDivElement>('#app')!.innerHTML = `
  <img src="${viteLogo}" alt="Vite logo" />
  <img src="${typescriptLogo}" alt="TypeScript logo" />
  <button id="counter" type="button"></button>
`;

setupCounter(document.querySelector<HTMLButtonElement>('#counter')!);
