import { AskedWorker } from './asked-worker.ts';
import type { FormatKinds, Formatted, FormatPlace } from './format/messages.ts';
import { isFormatConfig, isFormatted } from './format/paths.ts';

export type { FormatPlace };

/** Asks the worker that formats a project's files. */
export class FormatClient {
  readonly #worker: AskedWorker<FormatKinds>;

  /** `files` are the project's texts; the same map while nothing has changed. */
  constructor(files: () => ReadonlyMap<string, string>) {
    const isRead = (path: string) => isFormatted(path) || isFormatConfig(path);
    this.#worker = new AskedWorker({ start, files, isRead, order: ['format'], onRestart() {} });
  }

  /** Undefined where a newer question came, or there is no answer to be had. It never rejects. */
  format(place: FormatPlace): Promise<Formatted | undefined> {
    return this.#worker.ask('format', place);
  }

  close(): void {
    this.#worker.close();
  }
}

function start(): Worker {
  return new Worker(new URL('./format/format-worker.ts', import.meta.url), { type: 'module' });
}
