/**
 * What runs first in the page of the DevTools tab, in front of the front end of chii. It says hello to
 * the app's page as every frame of ours does, and lets the front end believe that the page it looks
 * into holds it, as it expects.
 */
import { connect } from '../frame/connection.ts';
import { leaveKeyboard } from '../frame/keyboard.ts';
import { standInForStorage } from '../frame/storage.ts';
import { createLink } from './link.ts';
import { createThemeQuery } from './theme-query.ts';

if (!hasStorage()) standInForStorage();
leaveKeyboard();
const query = new URLSearchParams(location.search);
/** What the front end takes for the origin of the page that holds it. */
const embedder = query.get('embedded') ?? '';
const theme = createThemeQuery(query.get('theme') === 'dark' ? 'dark' : 'light');

const link = createLink({
  tell: (text) => dispatchEvent(new MessageEvent('message', { data: text, origin: embedder })),
  onFirstWord: () => requestAnimationFrame(() => connection.send({ type: 'painted' })),
  onReload: () => connection.send({ type: 'reload-page' }),
});
const connection = connect(
  { shown: { kind: 'devtools' }, path: '', files: [], shift: { line: 0, column: 0, length: 0 } },
  (message, [port]) => {
    if (message.type !== 'devtools') return;
    if (message.said.type === 'theme') theme.set(message.said.theme);
    else if (port) link.join(port);
  },
);
// After the hello, which goes to the real one.
Object.defineProperty(window, 'parent', {
  value: { postMessage: (text: unknown) => link.send(text) },
});

/** Where there is no origin, or a browser keeps storage from frames, asking for it throws. */
function hasStorage(): boolean {
  try {
    return typeof localStorage === 'object';
  } catch {
    return false;
  }
}
