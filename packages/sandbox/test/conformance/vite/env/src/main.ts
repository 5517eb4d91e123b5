import './script.js';
const { VITE_TITLE, VITE_FULL, DB_PASSWORD, MODE, DEV, PROD, SSR, BASE_URL } = import.meta.env;
document.querySelector('#module')!.textContent = [
  VITE_TITLE, VITE_FULL, DB_PASSWORD, MODE, DEV, PROD, SSR, BASE_URL,
].join('|');
