/** Isolated-origin transport, in the frame: uses the service worker, and navigates to newer versions. */
import { stampedAddress } from '../hot-messages.ts';
import type { ShowMessage } from '../protocol.ts';
import { go, travel, watchAddress } from './address.ts';
import { tellWhenPainted } from './painted.ts';
import { patchDocument } from './patch-document.ts';
import { show } from './reload.ts';
import {
  installServiceWorker,
  isControlled,
  leaveOutdatedWorker,
  relay,
} from './service-worker.ts';
import type { PathPart, Started } from './start.ts';

export function beServed(o: Started): PathPart {
  const { facts, connection, hot, styles, answer } = o;
  const refuse = () => connection.send({ type: 'refused' });
  const install = () => void installServiceWorker().catch(refuse);
  /** Resolves when the last relayed message is posted; a page that needs it must not load earlier. */
  let relayed: Promise<void> = Promise.resolve();
  const leave = async ({ run, path, version, unlessUnused }: ShowMessage) => {
    if (unlessUnused && !(await o.mayUse(unlessUnused)) && (await isControlled()))
      return answer(version, 'unused');
    await relayed;
    hot.beforeReload();
    show(run, path, facts.path);
  };

  if (facts.shown.kind === 'boot') install();
  else {
    if (facts.shown.kind === 'saved') leaveOutdatedWorker();
    watchAddress(connection, facts);
    tellWhenPainted(o.onPainted);
  }

  return {
    isCurrent: isControlled,
    asksForNewest: true,
    addressOf: ({ accepted, stamp }) => stampedAddress(accepted, stamp),
    takeFiles: () => () => undefined,
    nameFiles: (css) => css,
    onMessage(message, ports) {
      switch (message.type) {
        case 'install':
          install();
          break;
        case 'relay':
          relayed = relay(message.message, ports).catch(refuse);
          break;
        case 'show':
          void leave(message);
          break;
        case 'document': {
          answer(message.version, patchDocument(message.before, message.text, styles.isOurs));
          break;
        }
        case 'go':
          go(message.run, message.address);
          break;
        case 'travel':
          travel(message.by);
          break;
        default:
          // Messages for other kinds of documents.
          break;
      }
    },
  };
}
