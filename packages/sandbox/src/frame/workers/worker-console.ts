/**
 * Runs first in every worker of a project and reports its log entries and uncaught errors to the page that started it.
 * A shared worker reports to all its pages.
 */
import { workerPrefixLength } from '../../worker-prefix.ts';
import type { Connection } from '../connection.ts';
import { watchConsole } from '../console/console.ts';
import type { DocumentInfo } from '../environment.ts';
import { createPositionMap } from '../positions.ts';
import { watchErrors } from '../errors.ts';
import { sharedWorkerChannel, wrapReport } from '../realms.ts';

declare const SharedWorkerGlobalScope: unknown;

const isShared = typeof SharedWorkerGlobalScope !== 'undefined';

function openConnection(): Connection {
  if (!isShared) {
    const post: (message: unknown) => void = globalThis.postMessage.bind(globalThis);
    return { send: (message) => post(wrapReport(message, '')) };
  }
  const channel = new BroadcastChannel(sharedWorkerChannel);
  return { send: (message) => channel.postMessage(wrapReport(message, location.href)) };
}

const path = decodeURIComponent(location.pathname.slice(1));
const documentInfo: DocumentInfo = {
  shown: { kind: 'absent' },
  path: location.protocol === 'blob:' ? '' : path,
  files: [],
  shift: { line: 1, column: 1, length: workerPrefixLength },
};
const positions = createPositionMap(documentInfo, new Map());
const connection = openConnection();
const logUncaught = watchConsole(connection, positions, {
  // Objects of a worker can't be expanded.
  objects: { add: () => 0, find: () => undefined, clear: () => undefined },
  cleanStack: (stack) => positions.cleanStack(stack),
});
watchErrors(
  { connection, positions, page: () => documentInfo.path, logUncaught, leavesErrors: !isShared },
  true,
);
