/**
 * Looks for expressions in a thread of its own: one of them can take forever, and is ended with its
 * thread. It is sent the project's files, then what to look for in them.
 */
import { findInFiles } from './find-in-files.ts';
import type { FindAnswer, FindRequest } from './messages.ts';

let files: ReadonlyMap<string, string> = new Map();

onmessage = ({ data }: MessageEvent<FindRequest>) => {
  if (data.type === 'files') files = data.files;
  else say({ id: data.id, found: findInFiles(files, data.query, data.atMost) });
};

function say(answer: FindAnswer): void {
  postMessage(answer);
}
