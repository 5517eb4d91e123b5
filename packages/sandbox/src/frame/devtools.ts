/** A tool: chobitsu, which answers for this document as a browser would its developer tools. */
import { longestText, parseProtocolText } from '../devtools-messages.ts';
import { offerTool } from './tool.ts';

/** Of what chobitsu puts into the document: the layer that it draws outlines in. */
const layerClass = '__chobitsu-hide__';

offerTool('devtools', ({ connection, own }) => {
  const begun = beginChobitsu().catch(() => {
    // The page has changed what every script stands on.
    connection.send({ type: 'tool-missing', tool: 'devtools' });
    return undefined;
  });
  let link: MessagePort | undefined;

  const hear = async (text: unknown) => {
    if (typeof text !== 'string' || !parseProtocolText(text)) return;
    (await begun)?.sendRawMessage(text);
    for (const layer of document.getElementsByClassName(layerClass)) own(layer);
  };
  const join = async (port: MessagePort) => {
    link?.close();
    link = port;
    const chobitsu = await begun;
    if (link !== port) return;
    chobitsu?.setOnMessage((text) => say(port, text));
    port.onmessage = ({ data }: MessageEvent<unknown>) => void hear(data);
    tellWhenParsed(port);
  };
  const leave = async () => {
    link?.close();
    link = undefined;
    const chobitsu = await begun;
    if (link) return;
    chobitsu?.setOnMessage(() => undefined);
    void chobitsu?.sendMessage('Overlay.hideHighlight');
  };

  return (said, [port]) => {
    if (said.type === 'link' && port) void join(port);
    else if (said.type === 'unlink') void leave();
  };
});

/** It looks at the document as it begins, so not before the document is the project's. */
async function beginChobitsu() {
  const bringBack = hideServiceWorker();
  try {
    return (await import('chobitsu')).default;
  } finally {
    bringBack();
  }
}

/** In a document without an origin it throws when it is asked for, which chobitsu does not expect. */
function hideServiceWorker(): () => void {
  try {
    void navigator.serviceWorker;
    return () => undefined;
  } catch {
    Object.defineProperty(navigator, 'serviceWorker', { value: undefined, configurable: true });
    return () => void Reflect.deleteProperty(navigator, 'serviceWorker');
  }
}

/** Somebody waits for an answer: one that is too long becomes one that says so. */
function say(port: MessagePort, text: string): void {
  if (text.length <= longestText) return port.postMessage(text);
  const message: unknown = JSON.parse(text);
  if (typeof message === 'object' && message !== null && 'id' in message)
    port.postMessage(
      JSON.stringify({ id: message.id, error: { message: 'Too large to display' } }),
    );
}

/** The tree of elements is read anew once it is all there. */
function tellWhenParsed(port: MessagePort): void {
  if (document.readyState !== 'loading') return;
  const tell = () =>
    port.postMessage(JSON.stringify({ method: 'DOM.documentUpdated', params: {} }));
  document.addEventListener('DOMContentLoaded', tell, { once: true });
}
