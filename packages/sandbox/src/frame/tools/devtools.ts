/** Tool: chobitsu, an implementation of the Chrome DevTools Protocol backend for this document. */
import { maxTextLength, parseProtocolText } from '../../devtools-messages.ts';
import { registerTool } from './tool.ts';

/** Class of the element that chobitsu draws highlights in. */
const layerClass = '__chobitsu-hide__';

registerTool('devtools', ({ connection, markInternal }) => {
  const loading = loadChobitsu().catch(() => {
    // The page has changed built-ins that chobitsu depends on.
    connection.send({ type: 'tool-missing', tool: 'devtools' });
    return undefined;
  });
  let link: MessagePort | undefined;

  const onText = async (text: unknown) => {
    if (typeof text !== 'string' || !parseProtocolText(text)) return;
    (await loading)?.sendRawMessage(text);
    for (const layer of document.getElementsByClassName(layerClass)) markInternal(layer);
  };
  const connect = async (port: MessagePort) => {
    link?.close();
    link = port;
    const chobitsu = await loading;
    if (link !== port) return;
    chobitsu?.setOnMessage((text) => post(port, text));
    port.onmessage = ({ data }: MessageEvent<unknown>) => void onText(data);
    updateWhenParsed(port);
  };
  const disconnect = async () => {
    link?.close();
    link = undefined;
    const chobitsu = await loading;
    if (link) return;
    chobitsu?.setOnMessage(() => undefined);
    void chobitsu?.sendMessage('Overlay.hideHighlight');
  };

  return (message, [port]) => {
    if (message.type === 'link' && port) void connect(port);
    else if (message.type === 'unlink') void disconnect();
  };
});

/** Loads chobitsu. It reads the document on load, so the document has to be the project's by then. */
async function loadChobitsu() {
  const restore = hideServiceWorker();
  try {
    return (await import('chobitsu')).default;
  } finally {
    restore();
  }
}

/** Hides `navigator.serviceWorker`, which throws in an opaque-origin document; chobitsu doesn't expect that. */
function hideServiceWorker(): () => void {
  try {
    void navigator.serviceWorker;
    return () => undefined;
  } catch {
    Object.defineProperty(navigator, 'serviceWorker', { value: undefined, configurable: true });
    return () => void Reflect.deleteProperty(navigator, 'serviceWorker');
  }
}

/** Posts a protocol text. A response that is too long is replaced by an error, because the front end waits for it. */
function post(port: MessagePort, text: string): void {
  if (text.length <= maxTextLength) return port.postMessage(text);
  const message: unknown = JSON.parse(text);
  if (typeof message === 'object' && message !== null && 'id' in message)
    port.postMessage(
      JSON.stringify({ id: message.id, error: { message: 'Too large to display' } }),
    );
}

/** Makes the front end read the DOM again once the document is parsed. */
function updateWhenParsed(port: MessagePort): void {
  if (document.readyState !== 'loading') return;
  const report = () =>
    port.postMessage(JSON.stringify({ method: 'DOM.documentUpdated', params: {} }));
  document.addEventListener('DOMContentLoaded', report, { once: true });
}
