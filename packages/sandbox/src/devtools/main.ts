/**
 * First script of the DevTools page, before chii's front end. It sends hello to the app's page like every frame, and replaces
 * `window.parent`, because the front end expects to be embedded by the inspected page.
 */
import type { DevtoolsTheme } from '../devtools-messages.ts';
import { connect } from '../frame/connection.ts';
import { deferFocus } from '../frame/defer-focus.ts';
import { provideMemoryStorage } from '../frame/srcdoc/memory-storage.ts';
import { createDevtoolsLink } from './link.ts';

const darkQuery = '(prefers-color-scheme: dark)';

if (!hasStorage()) provideMemoryStorage();
deferFocus();
const query = new URLSearchParams(location.search);
/** Origin that the front end expects messages from. */
const embedder = query.get('embedded') ?? '';
const theme = createThemeQuery(query.get('theme') === 'dark' ? 'dark' : 'light');

const link = createDevtoolsLink({
  send: (text) => dispatchEvent(new MessageEvent('message', { data: text, origin: embedder })),
  onFirstRequest: () => requestAnimationFrame(() => connection.send({ type: 'painted' })),
  onReload: () => connection.send({ type: 'reload-page' }),
});
const connection = connect(
  { shown: { kind: 'devtools' }, path: '', files: [], shift: { line: 0, column: 0, length: 0 } },
  (message, [port]) => {
    if (message.type !== 'devtools') return;
    if (message.message.type === 'theme') theme.set(message.message.theme);
    else if (port) link.join(port);
  },
);
// After the hello, which goes to the real parent.
Object.defineProperty(window, 'parent', {
  value: { postMessage: (text: unknown) => link.send(text) },
});

/** Whether storage is available; reading it throws for an opaque origin, or if the browser blocks it in frames. */
function hasStorage(): boolean {
  try {
    return typeof localStorage === 'object';
  } catch {
    return false;
  }
}

/** Overrides the media query with which the front end determines its theme; the app's page sets the theme. */
function createThemeQuery(initial: DevtoolsTheme): { set(theme: DevtoolsTheme): void } {
  const native = window.matchMedia.bind(window);
  const answer = native(darkQuery);
  let theme = initial;
  Object.defineProperty(answer, 'matches', { get: () => theme === 'dark' });
  window.matchMedia = (query) => (query === darkQuery ? answer : native(query));
  document.documentElement.style.colorScheme = theme;
  return {
    set(next) {
      theme = next;
      document.documentElement.style.colorScheme = theme;
      answer.dispatchEvent(new Event('change'));
    },
  };
}
