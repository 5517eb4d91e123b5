/** Isolated-origin transport, in the frame: uses the service worker, and navigates to newer versions. */
import { addVersionQuery } from '../hot-messages.ts';
import type { ShowMessage } from '../protocol.ts';
import { navigateTo, traverseHistory, watchAddress } from './address.ts';
import { whenPainted } from './painted.ts';
import { patchDocument } from './hmr/patch-document.ts';
import { navigateToPage } from './navigation.ts';
import {
  installServiceWorker,
  isControlled,
  replaceOutdatedWorker,
  postToServiceWorker,
} from './service-worker.ts';
import type { TransportPart, StartedDocument } from './start.ts';

export function startIsolatedOrigin(o: StartedDocument): TransportPart {
  const { documentInfo, connection, hot, styles, sendApplied } = o;
  const refuse = () => connection.send({ type: 'service-worker-unavailable' });
  const install = () => void installServiceWorker().catch(refuse);
  /** Resolves when the last relayed message is posted; a page that needs it must not load earlier. */
  let relayed: Promise<void> = Promise.resolve();
  const leave = async ({ run, path, version, unlessUnused }: ShowMessage) => {
    if (unlessUnused && !(await o.mayUse(unlessUnused)) && (await isControlled()))
      return sendApplied(version, 'unused');
    await relayed;
    hot.emitBeforeReload();
    navigateToPage(run, path, documentInfo.path);
  };

  if (documentInfo.shown.kind === 'boot') install();
  else {
    if (documentInfo.shown.kind === 'saved') replaceOutdatedWorker();
    watchAddress(connection, documentInfo);
    whenPainted(o.onPainted);
  }

  return {
    isCurrent: isControlled,
    loadsNewest: true,
    urlOf: ({ accepted, stamp }) => addVersionQuery(accepted, stamp),
    createFiles: () => () => undefined,
    resolveFileReferences: (css) => css,
    onMessage(message, ports) {
      switch (message.type) {
        case 'install':
          install();
          break;
        case 'relay':
          relayed = postToServiceWorker(message.message, ports).catch(refuse);
          break;
        case 'show':
          void leave(message);
          break;
        case 'document': {
          sendApplied(message.version, patchDocument(message.before, message.text, styles.isOurs));
          break;
        }
        case 'go':
          navigateTo(message.run, message.address);
          break;
        case 'travel':
          traverseHistory(message.by);
          break;
        default:
          // Messages for other kinds of documents.
          break;
      }
    },
  };
}
