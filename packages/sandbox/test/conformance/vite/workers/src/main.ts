import Double from './double.ts?worker';
import Inline from './double.ts?worker&inline';
import Shared from './shared.ts?sharedworker';
import url from './double.ts?worker&url';

const ask = (port: Worker | MessagePort, value: number) =>
  new Promise<number>((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
    port.postMessage(value);
  });
const values = await Promise.all([
  ask(new Double({ name: 'double' }), 1),
  ask(new Inline(), 2),
  ask(new Shared().port, 3),
  ask(new Worker(url, { type: 'module' }), 4),
  ask(new Worker(new URL('./double.ts', import.meta.url), { type: 'module' }), 5),
]);
document.querySelector('p')!.textContent = values.join(' ');
