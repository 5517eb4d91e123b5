import type { FormatResults, FormatParams, FormatTarget } from './format/messages.ts';
import { isFormatConfig, canFormat } from './format/format-support.ts';
import { WorkerClient } from './language-service/worker-client.ts';

export type { FormatTarget };

/** Client of the worker that formats a project's files. */
export type FormatClient = WorkerClient<FormatParams, FormatResults>;

/** @param files The project's texts. Returns the same map while nothing has changed. */
export function createFormatClient(files: () => ReadonlyMap<string, string>): FormatClient {
  return new WorkerClient<FormatParams, FormatResults>({
    files,
    onChange: () => undefined,
    openWorker: () =>
      new Worker(new URL('./format/format-worker.ts', import.meta.url), { type: 'module' }),
    selectText: (path, text) => (canFormat(path) || isFormatConfig(path) ? text : undefined),
    priority: ['format'],
  });
}
