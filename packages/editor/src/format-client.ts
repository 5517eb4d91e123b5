import type { FormatAnswered, FormatAsked, FormatPlace } from './format/messages.ts';
import { isFormatConfig, isFormatted } from './format/paths.ts';
import { WorkerClient } from './language-service/worker-client.ts';

export type { FormatPlace };

/** Client of the worker that formats a project's files. */
export type FormatClient = WorkerClient<FormatAsked, FormatAnswered>;

/** @param files The project's texts. Returns the same map while nothing has changed. */
export function createFormatClient(files: () => ReadonlyMap<string, string>): FormatClient {
  return new WorkerClient<FormatAsked, FormatAnswered>({
    files,
    onChange: () => undefined,
    openWorker: () =>
      new Worker(new URL('./format/format-worker.ts', import.meta.url), { type: 'module' }),
    take: (path, text) => (isFormatted(path) || isFormatConfig(path) ? text : undefined),
    order: ['format'],
  });
}
