/** The baseline's page: sends what is typed directly to the frame. */
import { EditorView } from '@codemirror/view';

const isFresh = location.pathname === '/fresh';
const isModule = location.pathname === '/module';
const [code, result] = [document.querySelector('#code'), document.querySelector('#result')];
if (!code || !result) throw new Error('the page has no text field');

const frame = document.createElement('iframe');
const fresh = (n: string) =>
  `<!doctype html><html lang="en"><title>Bench</title><h1>Bench 1</h1><script>document.documentElement.dataset.n = ${n}</script></html>`;
if (isFresh) {
  frame.sandbox.add('allow-scripts');
  frame.srcdoc = fresh('1');
} else frame.src = `http://${frameHost()}/`;
result.append(frame);

/**
 * A host in another process: in Firefox another site, in Chromium another origin
 * (`Origin-Agent-Cluster`).
 */
function frameHost(): string {
  const joint = navigator.userAgent.includes('Firefox/') ? '-' : '.';
  return `frame${joint}${location.host}`;
}

const view = new EditorView({
  doc: '1',
  extensions: EditorView.updateListener.of(({ docChanged, state }) => {
    if (!docChanged) return;
    const n = state.doc.toString();
    if (isFresh) frame.srcdoc = fresh(n);
    else if (isModule) frame.contentWindow?.postMessage({ module: n }, '*');
    else frame.contentWindow?.postMessage(n, '*');
  }),
});
code.append(view.dom);
