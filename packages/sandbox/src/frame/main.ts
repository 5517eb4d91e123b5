/**
 * Runs first in every document of a preview, in front of user code. It says hello to the app's page,
 * answers its pings, tells it what the page logs and what goes wrong, and puts edits in place.
 * User code shares this realm: nothing here may be relied on for anyone's safety but its own.
 */
import type { ToFrame } from '../protocol.ts';
import { connect, type Connection } from './connection.ts';
import { readDocumentFacts, takeRunParameter, type DocumentFacts } from './environment.ts';
import { tellWhenPainted } from './painted.ts';
import { restoreScroll, show, tellWhenLeaving } from './reload.ts';
import { installServiceWorker, relay } from './service-worker.ts';

function start(facts: DocumentFacts): void {
  const scroll = takeRunParameter();
  if (scroll) restoreScroll(scroll);
  const connection = connect(facts, (message, ports) => receive(message, ports));
  const receive = (message: ToFrame, ports: readonly MessagePort[]) =>
    obey(message, ports, connection);
  tellWhenLeaving(() => connection.send({ type: 'leaving' }));
  if (facts.shown.kind === 'boot') tryInstall(connection);
  tellWhenPainted(() => connection.send({ type: 'painted' }));
}

function obey(message: ToFrame, ports: readonly MessagePort[], connection: Connection): void {
  switch (message.type) {
    case 'ping':
      connection.send({ type: 'pong', count: message.count });
      break;
    case 'install':
      tryInstall(connection);
      break;
    case 'relay':
      relay(message.message, ports).catch(() => connection.send({ type: 'refused' }));
      break;
    case 'show':
      show(message.run, message.path);
      break;
    default:
      break;
  }
}

function tryInstall(connection: Connection): void {
  installServiceWorker().catch(() => connection.send({ type: 'refused' }));
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement && parent !== window) start(readDocumentFacts(script));
