import { module } from '/module.js';

const read = async (url) => (await fetch(url)).json();
const request = new XMLHttpRequest();
request.open('GET', '/only.json');
request.onload = async () => {
  const { only } = JSON.parse(request.responseText);
  const texts = [classic, module, only, (await read('/only.json')).only, (await read('/data.json')).both];
  document.querySelector('p').textContent = texts.join(' ');
};
request.send();
