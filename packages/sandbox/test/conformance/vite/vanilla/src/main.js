import './style.css';
import javascriptLogo from './javascript.svg';
import viteLogo from '/vite.svg';
import { setupCounter } from './counter.js';

document.querySelector('#app').innerHTML = `
  <img src="${viteLogo}" alt="" /><img src="${javascriptLogo}" alt="" />
  <button id="counter" type="button"></button>
`;

setupCounter(document.querySelector('#counter'));
