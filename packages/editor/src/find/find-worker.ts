/**
 * Runs regular expression searches in a worker, so that one that never terminates can be ended by
 * terminating the worker. Receives the project's files, then queries.
 */
import { findInFiles } from './find-in-files.ts';
import type { FindAnswer, FindRequest } from './messages.ts';

let files: ReadonlyMap<string, string> = new Map();

onmessage = ({ data }: MessageEvent<FindRequest>) => {
  if (data.type === 'files') files = data.files;
  else post({ id: data.id, found: findInFiles(files, data.query, data.atMost) });
};

function post(response: FindAnswer): void {
  postMessage(response);
}
