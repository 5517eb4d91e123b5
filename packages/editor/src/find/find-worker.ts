/**
 * Runs regular expression searches in a worker, so that one that never terminates can be ended by
 * terminating the worker. Receives the project's files, then queries.
 */
import { findInFiles } from './find-in-files.ts';
import type { FileSearchResponse, FileSearchRequest } from './messages.ts';

let files: ReadonlyMap<string, string> = new Map();

onmessage = ({ data }: MessageEvent<FileSearchRequest>) => {
  if (data.type === 'files') files = data.files;
  else post({ id: data.id, results: findInFiles(files, data.query, data.maxMatches) });
};

function post(response: FileSearchResponse): void {
  postMessage(response);
}
